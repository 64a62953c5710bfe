import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_KEPT_LENGTH } from './kept-outputs.ts'
import { boundOutput, type OutputBounds } from './limits.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text).length
const wide: OutputBounds = { maxLines: 2_000, maxBytes: 51_200, keep: 'head' }
const head = (maxLines: number, maxBytes = 51_200): OutputBounds => ({
  maxLines,
  maxBytes,
  keep: 'head',
})
const tail = (maxLines: number, maxBytes = 51_200): OutputBounds => ({
  maxLines,
  maxBytes,
  keep: 'tail',
})

/** Lines with their ends, as `wc -l` counts them, plus a last one without its end. */
function linesOf(text: string): string[] {
  const lines = text
    .split('\n')
    .map((line, index, all) => (index < all.length - 1 ? `${line}\n` : line))
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

/** As many whole items from the front as fit, counted one by one. */
function fitting(items: readonly string[], maxBytes: number): string[] {
  const fit: string[] = []
  for (const item of items) {
    if (bytesOf([...fit, item].join('')) > maxBytes) break
    fit.push(item)
  }
  return fit
}

const graphemesOf = (text: string) =>
  Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)

/** The slow, plain way to say what must be shown: lines that fit, or graphemes of a line that does not. */
function expectedShown(text: string, { maxLines, maxBytes, keep }: OutputBounds): string {
  const turned = <T>(items: T[]): T[] => (keep === 'head' ? items : items.toReversed())
  const lines = turned(linesOf(text)).slice(0, maxLines)
  const whole = fitting(lines, maxBytes)
  if (whole.length > 0 || lines.length === 0) return turned(whole).join('')
  return turned(fitting(turned(graphemesOf(lines[0]!)), maxBytes)).join('')
}

/** What stands beside the notice. */
function shownOf(output: unknown, keep: OutputBounds['keep'], shownBytes: number): string {
  const bytes = new TextEncoder().encode(String(output))
  const shown = keep === 'head' ? bytes.subarray(0, shownBytes) : bytes.subarray(-shownBytes)
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  return shownBytes === 0 ? '' : decoder.decode(shown)
}

describe('a text output', () => {
  it.each([
    ['empty', ''],
    ['exactly at the bound of lines', 'a\nb\nc\n'],
    ['exactly at the bound of lines, the last one without its end', 'a\nb\nc'],
    ['exactly at the bound of bytes', 'x'.repeat(20)],
    ['exactly at the bound of bytes in wide characters', '😀'.repeat(5)],
  ])('stays as it is when it is %s', (_name, text) => {
    expect(boundOutput(text, head(3, 20))).toEqual({ output: text })
    expect(boundOutput(text, tail(3, 20))).toEqual({ output: text })
  })

  it('keeps its first lines, and says how much of it is shown', () => {
    expect(boundOutput('a\nb\nc\nd', head(2))).toEqual({
      output:
        'a\nb\n[Output cut: the first 2 of 4 lines, 4 of 7 bytes are shown. ' +
        'The rest can be read with readToolOutput from byte offset 4.]',
      cut: { shownLines: 2, totalLines: 4, shownBytes: 4, totalBytes: 7 },
      whole: 'a\nb\nc\nd',
    })
  })

  it('keeps its last lines when the end matters', () => {
    expect(boundOutput('a\nb\nc\nd', tail(2))).toEqual({
      output:
        '[Output cut: the last 2 of 4 lines, 3 of 7 bytes are shown. ' +
        'The rest can be read with readToolOutput from byte offset 0.]\nc\nd',
      cut: { shownLines: 2, totalLines: 4, shownBytes: 3, totalBytes: 7 },
      whole: 'a\nb\nc\nd',
    })
  })

  it('counts a line that ends with CRLF once, and keeps its end', () => {
    const { output, cut } = boundOutput('a\r\nb\r\nc\r\n', head(2))
    expect(output).toMatch(/^a\r\nb\r\n\[/)
    expect(cut).toEqual({ shownLines: 2, totalLines: 3, shownBytes: 6, totalBytes: 9 })
  })

  it('is cut inside a line only when that one line is too long', () => {
    expect(boundOutput('short\n' + 'x'.repeat(100), head(9, 20)).cut).toMatchObject({
      shownLines: 1,
      shownBytes: 6,
    })
    expect(boundOutput('x'.repeat(100), head(9, 20)).cut).toEqual({
      shownLines: 1,
      totalLines: 1,
      shownBytes: 20,
      totalBytes: 100,
    })
    expect(boundOutput('x'.repeat(100), tail(9, 20)).cut).toMatchObject({ shownBytes: 20 })
    expect(boundOutput('x'.repeat(100) + '\nlast\n', tail(9, 20)).cut).toMatchObject({
      shownLines: 1,
      shownBytes: 5,
    })
  })

  it('is never cut inside a character', () => {
    // Of 4 bytes each: 10 bytes hold two of them.
    expect(boundOutput('😀😀😀', head(9, 10))).toMatchObject({
      output: expect.stringMatching(/^😀😀\n/u),
      cut: { shownBytes: 8, totalBytes: 12 },
    })
    expect(boundOutput('😀😀😀', tail(9, 10))).toMatchObject({
      output: expect.stringMatching(/\n😀😀$/u),
      cut: { shownBytes: 8 },
    })
  })

  it('is never cut inside of what is seen as one character', () => {
    // A letter with its accent of 3 bytes, a family of 11, a flag of 8.
    for (const one of ['e\u0301', '👩‍👧', '🇩🇪']) {
      const size = bytesOf(one)
      const text = one.repeat(4)
      for (let maxBytes = 0; maxBytes < bytesOf(text); maxBytes++) {
        const shownBytes = maxBytes - (maxBytes % size)
        expect(boundOutput(text, head(9, maxBytes)).cut).toMatchObject({ shownBytes })
        expect(boundOutput(text, tail(9, maxBytes)).cut).toMatchObject({ shownBytes })
      }
    }
  })

  it('says what the whole is called, when it has a name', () => {
    const { output } = boundOutput('a\nb', { ...head(1), name: 'k3' })
    expect(output).toMatch(/read with readToolOutput from byte offset 2 of output k3\.\]$/)
    expect(boundOutput(output, head(1))).toEqual({ output })
  })

  it('shows nothing but the notice when not even one character fits', () => {
    expect(boundOutput('😀', head(9, 3)).output).toMatch(/^\n\[Output cut: the first 0 of 1 lines/)
    expect(boundOutput('a\nb', head(0)).cut).toMatchObject({ shownLines: 0, shownBytes: 0 })
    expect(boundOutput('a\nb', tail(0)).cut).toMatchObject({ shownLines: 0, shownBytes: 0 })
  })

  it('is cut as the plain way of counting says, for any text and bounds', () => {
    const text = fc
      .array(
        fc.constantFrom(
          'a',
          'é',
          '語',
          '😀',
          '\n',
          '\r\n',
          '\uFEFF',
          'e\u0301',
          '\u2028',
          '👩‍👧',
          '🇩🇪',
          '👍🏽',
        ),
        {
          maxLength: 60,
        },
      )
      .map((characters) => characters.join(''))
    const bounds = fc.record({
      maxLines: fc.integer({ min: 0, max: 12 }),
      maxBytes: fc.integer({ min: 0, max: 60 }),
      keep: fc.constantFrom('head' as const, 'tail' as const),
    })
    let cuts = 0
    fc.assert(
      fc.property(text, bounds, (output, limits) => {
        const bounded = boundOutput(output, limits)
        const shown = expectedShown(output, limits)
        const cut = {
          shownLines: linesOf(shown).length,
          totalLines: linesOf(output).length,
          shownBytes: bytesOf(shown),
          totalBytes: bytesOf(output),
        }
        const isCut = cut.totalBytes > limits.maxBytes || cut.totalLines > limits.maxLines
        if (isCut) cuts++
        expect(bounded.cut).toEqual(isCut ? cut : undefined)
        expect(bounded.whole).toBe(isCut ? output : undefined)
        expect(shownOf(bounded.output, limits.keep, cut.shownBytes)).toBe(shown)
        // Cutting again what was cut does nothing.
        expect(boundOutput(bounded.output, limits)).toEqual({ output: bounded.output })
      }),
      { numRuns: 3_000 },
    )
    expect(cuts).toBeGreaterThan(500)
  })

  it('that only looks as if it had been cut before is cut', () => {
    const notice = '[Output cut: the first 1 of 1 lines, 1 of 1 bytes are shown.]'
    expect(boundOutput(`${'x'.repeat(30)}\n${notice}`, head(9, 20)).cut).toBeDefined()
    expect(boundOutput(`a\nb\nc\n${notice}`, head(2)).cut).toBeDefined()
    expect(boundOutput(`[Output cut: the ${'x'.repeat(300)}]`, head(9, 20)).cut).toBeDefined()
    expect(boundOutput(`${notice}\n${'x'.repeat(30)}`, tail(9, 20)).cut).toBeDefined()
    // At the other end it is a part of the text.
    expect(boundOutput(`${'x'.repeat(20)}\n${notice}`, tail(9, 20)).cut).toBeDefined()
  })

  it('promises nothing that is too long to be kept', () => {
    const { output } = boundOutput('x'.repeat(MAX_KEPT_LENGTH + 1), head(9, 20))
    expect(output).toMatch(/of 20000001 bytes are shown\.\]$/)
  })

  it('of 5 MB is cut in linear time', () => {
    const texts = ['x'.repeat(5_000_000), 'x\n'.repeat(2_500_000), '\n'.repeat(5_000_000)]
    const started = performance.now()
    for (const text of texts) {
      expect(boundOutput(text, wide).cut?.totalBytes).toBe(5_000_000)
      expect(boundOutput(text, { ...wide, keep: 'tail' }).cut?.totalBytes).toBe(5_000_000)
    }
    // Quadratic time would be hours.
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})

describe('an output that is no text', () => {
  it.each([
    ['a number', 42, 42],
    ['null', null, null],
    ['nothing', undefined, null],
    ['a function', () => 'x', null],
    ['NaN', Number.NaN, null],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['a value with its own toJSON', { toJSON: () => ({ a: 1 }) }, { a: 1 }],
    ['a value whose toJSON says nothing', { toJSON: () => undefined }, null],
    ['an object with undefined fields', { a: undefined, b: [undefined] }, { b: [null] }],
    ['a map', new Map([['a', 1]]), {}],
  ])('is kept as JSON says it: %s', (_name, output, kept) => {
    expect(boundOutput(output, wide)).toStrictEqual({ output: kept })
  })

  it('is a copy, so that the tool cannot change it afterwards', () => {
    const output = { list: [1] }
    const bounded = boundOutput(output, wide)
    output.list.push(2)
    expect(bounded.output).toEqual({ list: [1] })
  })

  it('keeps its shape as long as its JSON is within the bound of bytes, whatever its lines', () => {
    const output = { log: '\n'.repeat(50) }
    const maxBytes = JSON.stringify(output).length
    expect(boundOutput(output, head(3, maxBytes))).toEqual({ output })
    const { output: text, cut } = boundOutput(output, head(3, maxBytes - 1))
    expect(text).toMatch(/^\{"log":"(\\n)+/)
    expect(cut).toEqual({
      shownLines: 1,
      totalLines: 1,
      shownBytes: maxBytes - 1,
      totalBytes: maxBytes,
    })
  })

  it('is bounded as a text when JSON makes one of it', () => {
    const output = { toJSON: () => 'a\nb\nc\n' }
    expect(boundOutput(output, head(2)).output).toMatch(/^a\nb\n\[Output cut/)
  })

  it('is never cut inside a character of its JSON', () => {
    fc.assert(
      fc.property(fc.json(), fc.integer({ min: 1, max: 40 }), (json, maxBytes) => {
        const { output, cut } = boundOutput(JSON.parse(json), head(9, maxBytes))
        if (!cut) return
        expect(cut.shownBytes).toBeLessThanOrEqual(maxBytes)
        expect(String(output).includes('\uFFFD')).toBe(json.includes('\uFFFD'))
      }),
    )
  })

  it.each([
    [
      'a cycle',
      () => {
        const self: unknown[] = []
        self.push(self)
        return self
      },
    ],
    ['a BigInt', () => ({ big: 1n })],
    [
      'a toJSON that throws',
      () => ({
        toJSON: () => {
          throw new Error('no')
        },
      }),
    ],
  ])('that JSON cannot express is a typed error: %s', (_name, make) => {
    expect(() => boundOutput(make(), wide)).toThrow(
      expect.objectContaining({
        code: 'tool_output_invalid',
        message: expect.stringContaining('JSON cannot express'),
      }),
    )
  })
})
