import { KNOWN_KIND } from './known-values.ts'
import type { Span } from './spans.ts'

/** Of a value that can only be a value: no blank, quote or bracket, and nothing that ends or begins a command. */
const VALUE = /^(?:(?:basic|bearer|digest|token) )?(?:[\w+/=.~%!@#^*,:?-]|\\[nrt/u"\\])*$/i
/** A line of a key. A shorter one could be the name of a program. */
const LINE_OF_KEY =
  /^(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=[^0-9]*[0-9])[A-Za-z0-9+=][A-Za-z0-9+/=]{59,}$/
const MARK_OF_KEY = /-----(?:BEGIN|END) [A-Z0-9 ]{1,60}-----/g

/** Whether a text could be part of a command or a program, or of several lines of one. */
export function couldRun(text: string): boolean {
  return !VALUE.test(text.replaceAll(MARK_OF_KEY, ''))
}

/**
 * The secrets that are hidden where a person decides by what is shown. Who wrote the text can make anything look like a
 * secret; so what could run is shown, even if it is one. Of a key, its lines are hidden.
 */
export function hiddenInEvidence(text: string, spans: readonly Span[]): Span[] {
  return spans.flatMap((span) => {
    const { start, end, kind } = span
    const found = text.slice(start, end)
    if (kind === KNOWN_KIND || !couldRun(found)) return [span]
    let at = start
    return found.split('\n').flatMap((line) => {
      const from = at
      at += line.length + 1
      return LINE_OF_KEY.test(line.trimEnd())
        ? [{ start: from, end: from + line.length, kind }]
        : []
    })
  })
}
