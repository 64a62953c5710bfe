import type { Redact } from '@assent/engine/redaction'
import { countText, safeCutFrom } from '../safe-cut.ts'

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

/** Keeps what is printed, in bounded memory. Lines and bytes of what is dropped are counted. */
export function captureOutput({ redact, kept = 8_000_000 }: CaptureOptions): CapturedOutput {
  let pieces: string[] = []
  let held = 0
  let gone: { lines: number; bytes: number } | undefined

  function trim(): void {
    const text = pieces.join('')
    // Where nothing is safe, nothing is kept.
    const from = safeCutFrom(text, text.length - kept, redact) ?? text.length
    const dropped = countText(text.slice(0, from))
    gone = {
      lines: (gone?.lines ?? 0) + dropped.lines,
      bytes: (gone?.bytes ?? 0) + dropped.bytes,
    }
    pieces = [text.slice(from)]
    held = text.length - from
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
