import { execFileSync } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'
import * as fc from 'fast-check'
import { boundOutput } from '@assent/engine/bounds'
import { createRedactor } from '@assent/engine/redaction'
import { describe, expect, it, vi } from 'vitest'
import { captureOutput } from './shell/captured-output.ts'
import { createOutputs, pieceOf } from './outputs.ts'
import { redactInSlices } from './redact-in-slices.ts'

const isDeep = process.env['ASSENT_DEEP'] === '1'
vi.setConfig({ testTimeout: isDeep ? 600_000 : 60_000 })
const runs = (deep: number, normal: number) => ({ numRuns: isDeep ? deep : normal })
const encoder = new TextEncoder()
const bytesOf = (text: string) => encoder.encode(text).length
/** As `wc -l` counts, plus a last line without its end. */
const linesOf = (text: string) =>
  text.split('\n').length - (text === '' || text.endsWith('\n') ? 1 : 0)
const graphemesOf = (text: string) =>
  Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)

const CHARACTERS = 'a b \n \r\n \t é e\u0301 語 😀 👩‍👧 🇩🇪 👍🏽 \u200D \uFEFF \u2028 각 नि \u0000 ] ['
const characters = fc.constantFrom(' ', ...CHARACTERS.split(' '))
const texts = fc.array(characters, { maxLength: 80, size: 'max' }).map((all) => all.join(''))
const bounds = fc.record({
  maxLines: fc.integer({ min: 1, max: 12 }),
  maxBytes: fc.integer({ min: 1, max: 90 }),
})
const plain = (text: string) => text

describe('an output that is cut', () => {
  it('is counted exactly, splits no grapheme, and is not cut again', () => {
    let cuts = 0
    fc.assert(
      fc.property(texts, bounds, fc.constantFrom('head', 'tail'), (text, limits, keep) => {
        const { output, cut } = boundOutput(text, { ...limits, keep, name: 'k' })
        expect(boundOutput(output, { ...limits, keep })).toEqual({ output })
        const isOver = bytesOf(text) > limits.maxBytes || linesOf(text) > limits.maxLines
        expect(cut !== undefined).toBe(isOver)
        if (!cut) return
        cuts++
        expect([cut.totalLines, cut.totalBytes]).toEqual([linesOf(text), bytesOf(text)])
        const all = encoder.encode(text)
        const { shownBytes } = cut
        const part =
          keep === 'head' ? all.subarray(0, shownBytes) : all.subarray(all.length - shownBytes)
        const shown = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true }).decode(part)
        expect(linesOf(shown)).toBe(cut.shownLines)
        const pieces = graphemesOf(text)
        const ends = new Set([''])
        for (let at = 0; at <= pieces.length; at++) {
          ends.add((keep === 'head' ? pieces.slice(0, at) : pieces.slice(at)).join(''))
        }
        expect(ends).toContain(shown)
      }),
      runs(60_000, 1_500),
    )
    expect(cuts).toBeGreaterThan(runs(30_000, 700).numRuns)
  })

  it('is counted as wc counts', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const [lines, bytes] = execFileSync('wc', ['-lc'], { input: text })
          .toString()
          .trim()
          .split(/\s+/)
          .map(Number)
        const cut = boundOutput(text, { maxLines: 0, maxBytes: 0, keep: 'head' }).cut
        const isPartial = text !== '' && !text.endsWith('\n')
        expect([cut?.totalLines ?? 0, cut?.totalBytes ?? 0]).toEqual([
          (lines ?? 0) + (isPartial ? 1 : 0),
          bytes,
        ])
      }),
      runs(3_000, 30),
    )
  })

  it('is whole again when all of its pieces are read', () => {
    fc.assert(
      fc.property(texts, bounds, (text, limits) => {
        const whole = encoder.encode(text)
        const wide = { ...limits, maxBytes: Math.max(limits.maxBytes, 40) }
        let all = ''
        let offset = 0
        for (let reads = 0; offset < whole.length; reads++) {
          expect(reads).toBeLessThan(200)
          const piece = pieceOf(whole, offset, wide, 'k')
          // Cutting it again does nothing.
          expect(boundOutput(piece, { ...wide, keep: 'head' })).toEqual({ output: piece })
          const [, to = String(whole.length)] =
            /\[Output cut: the bytes \d+ to (\d+) of \d+ are shown\.[^\]\n]*\]$/.exec(piece) ?? []
          all += new TextDecoder('utf-8', { ignoreBOM: true }).decode(
            whole.subarray(offset, Number(to)),
          )
          offset = Number(to)
        }
        expect(all).toBe(text)
      }),
      runs(30_000, 1_000),
    )
  })
})

describe('a secret', () => {
  const secrets = ['open sesame, now', 'swordfish-42-swordfish', 'p@ss/w0rd+=&x']
  const redact = createRedactor({ knownValues: secrets })
  const forms = secrets.flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  ])
  /** As programs print them for a terminal, also with a colour within. */
  const coloured = forms.flatMap((form) => {
    const half = form.length >> 1
    return [
      `\u001b[1;31m${form}\u001b[0m`,
      `${form.slice(0, half)}\u001b[0K${form.slice(half)}`,
      `\u001b]0;${form}\u0007`,
    ]
  })
  const filler = fc.stringMatching(/^[a-z \n]{0,40}$/)
  const withSecrets = fc
    .array(fc.oneof(filler, fc.constantFrom(...forms, ...coloured)), { minLength: 1, maxLength: 8 })
    .map((all) => all.join(' '))

  /** Whether half of a secret, or more, is in a text. */
  function leaked(text: string): string | undefined {
    const readings = [text, stripVTControlCharacters(text)]
    return forms.find((form) => {
      const half = Math.ceil(form.length / 2)
      const halves = [form.slice(0, half), form.slice(-half)]
      return readings.some((reading) => halves.some((part) => reading.includes(part)))
    })
  }

  it('is in no output so far, wherever the chunks end, and in none that is cut', () => {
    const outputs = createOutputs({ maxLines: 4, maxBytes: 60, redact })
    fc.assert(
      fc.property(
        withSecrets,
        fc.array(fc.nat({ max: 400 }), { maxLength: 6 }),
        fc.constantFrom('head', 'tail'),
        (text, cuts, keep) => {
          for (const at of [...cuts, text.length]) {
            const isPartial = at < text.length
            const shown = outputs.preview('bash', { text: text.slice(0, at), isPartial }, keep)
            expect({ text, at, leaked: leaked(shown) }).toEqual({ text, at, leaked: undefined })
          }
        },
      ),
      runs(60_000, 1_500),
    )
  })

  it('is in nothing that is kept of a long output, wherever its beginning is dropped', () => {
    fc.assert(
      fc.property(
        fc.array(withSecrets, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 20, max: 200 }),
        fc.constantFrom('', '\n'),
        (chunks, kept, end) => {
          const captured = captureOutput({ redact, kept })
          for (const chunk of chunks) captured.add(chunk + end)
          const { text, gone = { lines: 0, bytes: 0 } } = captured
          const shown = redact(text, { toolName: 'bash', isPartial: false })
          expect(leaked(shown)).toBeUndefined()
          const all = chunks.map((chunk) => chunk + end).join('')
          expect(all.endsWith(text)).toBe(true)
          expect(gone.bytes + bytesOf(text)).toBe(bytesOf(all))
          expect(gone.lines + text.split('\n').length).toBe(all.split('\n').length)
        },
      ),
      runs(20_000, 500),
    )
  })

  it('is masked in slices as in one piece, wherever they end', async () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${'k9Q2xV7bTz4W'.repeat(8)}\n-----END PRIVATE KEY-----`
    const some = fc.oneof(withSecrets, fc.constantFrom('\n', ' ', key, 'API_TOKEN=k9Q2xV7bTz4W\n'))
    let cuts = 0
    const watched = Object.assign(
      (...[text, context]: Parameters<typeof redact>) => {
        cuts++
        return redact(text, context)
      },
      { holdsBack: true },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(some, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 120 }),
        async (all, slice) => {
          const text = all.join('')
          const whole = redact(text, { toolName: 'bash', isPartial: false })
          const sizes = { slice, ahead: 200 }
          expect(await redactInSlices(text, 'bash', watched, sizes)).toBe(whole)
        },
      ),
      runs(20_000, 300),
    )
    expect(cuts).toBeGreaterThan(3 * runs(20_000, 300).numRuns)
  })

  it('is not in what is kept of an output, nor in any piece of it', async () => {
    const outputs = createOutputs({ maxLines: 3, maxBytes: 50, redact })
    try {
      await fc.assert(
        fc.asyncProperty(withSecrets, fc.nat({ max: 300 }), async (text, offset) => {
          const shown = await outputs.fit('bash', { text }, 'tail')
          expect(leaked(shown)).toBeUndefined()
          const [, name] = /of output (\w+)\.\]/.exec(shown) ?? []
          if (name === undefined) return
          const size = Number(/bytes \d+ to \d+ of (\d+)/.exec(await outputs.read(name, 0))?.[1])
          expect(leaked(await outputs.read(name, Math.min(offset, size)))).toBeUndefined()
        }),
        runs(3_000, 150),
      )
    } finally {
      outputs.dispose()
    }
  })
})

it('is read on in, also where one grapheme is longer than a piece', () => {
  const text = `a${'\u0301'.repeat(100)}b`
  const whole = encoder.encode(text)
  let all = ''
  for (let offset = 0; offset < whole.length;) {
    const piece = pieceOf(whole, offset, { maxLines: 9, maxBytes: 40 }, 'k')
    const to = Number(/bytes \d+ to (\d+)/.exec(piece)?.[1])
    expect(to).toBeGreaterThan(offset)
    all += new TextDecoder().decode(whole.subarray(offset, to))
    offset = to
  }
  expect(all).toBe(text)
})

it('keeps outputs that nobody else may read, and deletes them in the end', async () => {
  const outputs = createOutputs({ maxLines: 1, maxBytes: 50, redact: plain })
  const shown = await outputs.fit('bash', { text: 'a\nb\nc\n' }, 'head')
  expect(shown).toMatch(
    /^a\n\[Output cut: the first 1 of 3 lines, 2 of 6 bytes are shown\. The rest can be read with readToolOutput from byte offset 2 of output [0-9a-f]{12}\.\]$/,
  )
  expect(await outputs.read(undefined, 2)).toMatch(
    /^b\n\[Output cut: the bytes 2 to 4 of 6 are shown\. Go on/,
  )
  expect(await outputs.read(undefined, 4)).toMatch(
    /^c\n\[Output cut: the bytes 4 to 6 of 6 are shown\.\]$/,
  )
  await expect(outputs.read(undefined, 7)).rejects.toThrow(/nothing is at offset 7/)
  await expect(outputs.read('000000000000', 0)).rejects.toThrow(/is kept/)
  outputs.dispose()
  await expect(outputs.read(undefined, 0)).rejects.toThrow(/is kept/)
})

it('shows the end of one long line, and counts what is printed without what is said below it', async () => {
  const outputs = createOutputs({ maxLines: 5, maxBytes: 100, redact: plain })
  try {
    const footer = '[Exit code 1.]\n[Ran here.]\n'
    const shown = await outputs.fit('bash', { text: `a${'x'.repeat(300_000)}z\n`, footer }, 'tail')
    expect(shown).toMatch(
      /^\[Output cut: the last 1 of 1 lines, 73 of 300003 bytes are shown\. .*\]\nx{71}z\n\[Exit code 1\.\]\n\[Ran here\.\]\n$/,
    )
    expect(boundOutput(shown, { maxLines: 5, maxBytes: 100, keep: 'tail' }).cut).toBeUndefined()
    const head = await outputs.fit('read', { text: 'é'.repeat(200_000) }, 'head')
    expect(head).toMatch(
      /^é{50}\n\[Output cut: the first 1 of 1 lines, 100 of 400000 bytes are shown\./,
    )
  } finally {
    outputs.dispose()
  }
})
