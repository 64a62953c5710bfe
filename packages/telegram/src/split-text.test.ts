import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { markdownText } from './markdown-text.ts'
import { rich, styled, type RichText } from './rich-text.ts'
import { splitRich } from './split-text.ts'

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const boundaries = (text: string) => new Set([...graphemes.segment(text)].map(({ index }) => index))
const runs = process.env['ASSENT_DEEP'] === '1' ? 20_000 : 100

const words = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'word',
        ' ',
        '\n',
        '\n\n',
        '  ',
        '\t',
        '👩‍👩‍👧‍👦',
        'é',
        'é',
        '🇩🇪',
        '한',
        'ノ',
        '‮',
        '.',
      ),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
    ),
    { maxLength: 120 },
  )
  .map((pieces) => pieces.join('').replaceAll('\r', ''))

const piece: fc.Arbitrary<RichText> = fc
  .tuple(words, fc.constantFrom('bold', 'code', 'pre', 'none'))
  .map(([text, type]) =>
    type === 'none' || text === '' ? rich(text) : styled({ type } as { type: 'bold' }, text),
  )

describe('a text cut into messages', () => {
  it('keeps every character that can be seen, in order, and fits', () => {
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 6 }),
        fc.integer({ min: 64, max: 300 }),
        (pieces, max) => {
          const whole = rich(...pieces)
          const parts = splitRich(whole, max)
          const seen = (text: string) => text.replaceAll(/\s/g, '')
          expect(parts.map(({ text }) => seen(text)).join('')).toBe(seen(whole.text))
          for (const { text, entities } of parts) {
            expect(text.length).toBeLessThanOrEqual(max)
            expect(text.trim()).toBe(text)
            expect(text).not.toBe('')
            expect(entities.length).toBeLessThanOrEqual(100)
            for (const { offset, length } of entities) {
              expect(length).toBeGreaterThan(0)
              expect(offset).toBeGreaterThanOrEqual(0)
              expect(offset + length).toBeLessThanOrEqual(text.length)
            }
          }
        },
      ),
      { numRuns: runs },
    )
  })

  it('is never cut inside of a character as it is seen', () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 64, max: 200 }), (text, max) => {
        const allowed = boundaries(text)
        let from = 0
        for (const part of splitRich(rich(text), max)) {
          const at = text.indexOf(part.text, from)
          expect(at).toBeGreaterThanOrEqual(0)
          expect(allowed.has(at)).toBe(true)
          from = at + part.text.length
          expect(from === text.length || allowed.has(from)).toBe(true)
        }
      }),
      { numRuns: runs },
    )
  })

  it('keeps a block of code whole where it fits, and its lines where it does not', () => {
    const code = styled({ type: 'pre', language: 'ts' }, 'const a = 1\n'.repeat(8).trim())
    const [before, block, after] = splitRich(
      rich('x '.repeat(40), '\n\n', code, '\n\nend ', 'y'.repeat(30)),
      120,
    )
    expect(before?.entities).toEqual([])
    expect(block?.text.startsWith('const a = 1')).toBe(true)
    expect(block?.entities[0]).toMatchObject({ type: 'pre', language: 'ts', offset: 0, length: 95 })
    expect(after?.text.endsWith('y')).toBe(true)
    const long = splitRich(styled({ type: 'pre' }, 'line of code\n'.repeat(40).trim()), 100)
    for (const { text, entities } of long) {
      expect(text.split('\n').every((line) => line === 'line of code')).toBe(true)
      expect(entities).toEqual([{ type: 'pre', offset: 0, length: text.length }])
    }
  })

  it('ends parts at paragraphs, else at lines, else at words', () => {
    const texts = (text: string) => splitRich(rich(text), 20).map((part) => part.text)
    expect(texts('one two three\n\nfour five six')).toEqual(['one two three', 'four five six'])
    expect(texts('one two three\nfour five six')).toEqual(['one two three', 'four five six'])
    expect(texts('one two three four five')).toEqual(['one two three four', 'five'])
    expect(texts('x'.repeat(45))).toEqual(['x'.repeat(20), 'x'.repeat(20), 'x'.repeat(5)])
  })

  it('cuts one character that fills more than a message between code points', () => {
    const parts = splitRich(rich(`a${'\u0301'.repeat(50)}${'👩‍'.repeat(40)}`), 16)
    for (const { text } of parts) expect(text.isWellFormed()).toBe(true)
  })

  it('lays no more than a hundred formats on one message', () => {
    const many = Array.from({ length: 250 }, (_, at) => styled({ type: 'bold' }, `b${at} `))
    const parts = splitRich(rich(...many))
    expect(parts.length).toBeGreaterThan(2)
    expect(parts.every(({ entities }) => entities.length <= 100)).toBe(true)
  })

  it('leaves out what is only white space', () => {
    expect(splitRich(rich(' \n\t '))).toEqual([])
  })
})

describe('Markdown', () => {
  const formats = (markdown: string) => {
    const { text, entities } = markdownText(markdown)
    return entities.map(({ type, offset, length }) => [type, text.slice(offset, offset + length)])
  }

  it('is shown as Telegram can show it', () => {
    expect(markdownText('# Title\n\n- one\n  - two\n- [x] three\n\n1. a\n2. b\n\n---').text).toBe(
      'Title\n\n• one\n   • two\n☑ three\n\n1. a\n2. b\n\n———',
    )
    expect(markdownText('| a | bb |\n|---|---|\n| 1 | **2** |').text).toBe('a │ bb\n──┼───\n1 │ 2')
    expect(formats('**bold _both_** ~~gone~~ `code` [link](https://a.example/)')).toEqual([
      ['bold', 'bold both'],
      ['italic', 'both'],
      ['strikethrough', 'gone'],
      ['code', 'code'],
      ['text_link', 'link'],
    ])
    expect(formats('> said `so`')).toEqual([
      ['blockquote', 'said so'],
      ['code', 'so'],
    ])
  })

  it('has no format around code, which Telegram would refuse', () => {
    expect(formats('**bold `code` bold**')).toEqual([
      ['bold', 'bold '],
      ['bold', ' bold'],
      ['code', 'code'],
    ])
  })

  it('hides no address that is no page of the web, and shows HTML as it is', () => {
    expect(markdownText('[go](javascript:alert(1)) <b>x</b> &lt;').text).toBe(
      'go (javascript:alert(1)) <b>x</b> <',
    )
    expect(markdownText('![a cat](https://a.example/cat.png)')).toEqual({
      text: 'a cat',
      entities: [{ type: 'text_link', url: 'https://a.example/cat.png', offset: 0, length: 5 }],
    })
  })

  it('that is nested beyond all sense is shown as it is', () => {
    const deep = `${'> '.repeat(20_000)}x`
    expect(markdownText(deep).text).toBe(deep)
  })

  it('of any kind gives formats that lie within the text', () => {
    const source = fc
      .array(
        fc.constantFrom(
          '*',
          '**',
          '_',
          '`',
          '```',
          '\n',
          '> ',
          '- ',
          '1. ',
          '# ',
          '[',
          '](',
          ')',
          '|',
          '<b>',
          'x y',
          '~~',
          '😀',
          '\\',
        ),
        { maxLength: 60 },
      )
      .map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(source, (markdown) => {
        const { text, entities } = markdownText(markdown)
        for (const { offset, length } of entities) {
          expect(length).toBeGreaterThan(0)
          expect(offset + length).toBeLessThanOrEqual(text.length)
        }
      }),
      { numRuns: runs },
    )
  })
})
