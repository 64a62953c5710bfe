import type { Redact } from '@assent/engine/redaction'

/** What a command has printed so far: all of it, or its end when it is too much. */
export interface CapturedOutput {
  add(text: string): void
  readonly text: string
  /** What is not kept of its beginning. */
  readonly gone: { readonly lines: number; readonly bytes: number } | undefined
}

export interface CaptureOptions {
  /** The text is cut where this finds no secret that goes over the cut. */
  readonly redact: Redact
  /** UTF-16 code units that are kept; up to twice as many for a while. */
  readonly kept?: number
}

/** How far a secret is looked for on both sides of a cut. */
const LOOK = 65_536
const MOST_TRIES = 200

/** Keeps what is printed, in bounded memory. Lines and bytes of what is dropped are counted. */
export function captureOutput({ redact, kept = 8_000_000 }: CaptureOptions): CapturedOutput {
  let pieces: string[] = []
  let held = 0
  let gone: { lines: number; bytes: number } | undefined

  function trim(): void {
    const text = pieces.join('')
    const from = placeOfCut(text, text.length - kept)
    const dropped = text.slice(0, from)
    gone = {
      lines: (gone?.lines ?? 0) + countLines(dropped),
      bytes: (gone?.bytes ?? 0) + Buffer.byteLength(dropped),
    }
    pieces = [text.slice(from)]
    held = text.length - from
  }

  /** Where the kept text begins: at a line, where there are lines, and never inside of a secret. */
  function placeOfCut(text: string, earliest: number): number {
    let place = earliest
    for (let tries = 0; tries < MOST_TRIES && place < text.length; tries++) {
      const end = text.indexOf('\n', place)
      place = end !== -1 && end - place < LOOK ? end + 1 : beginOfCharacter(text, place + 1)
      if (isSafeCut(text, place)) return place
      place += 1 + tries * tries
    }
    return text.length
  }

  /** Without a secret that goes over it, both sides are masked as they are together. */
  function isSafeCut(text: string, at: number): boolean {
    const whole = { toolName: 'bash', isPartial: false }
    const before = text.slice(Math.max(0, at - LOOK), at)
    const after = text.slice(at, at + LOOK)
    return redact(before, whole) + redact(after, whole) === redact(before + after, whole)
  }

  return {
    add(text) {
      pieces.push(text)
      held += text.length
      if (held > 2 * kept) trim()
    },
    get text() {
      if (pieces.length > 1) pieces = [pieces.join('')]
      return pieces[0] ?? ''
    },
    get gone() {
      return gone
    },
  }
}

function beginOfCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at
}

function countLines(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++
  return count
}
