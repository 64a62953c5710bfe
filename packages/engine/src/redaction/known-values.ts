import type { Finder, Span } from './spans.ts'
import { prefixAtEnd, SEEN_LENGTH } from './token-finder.ts'

export const KNOWN_KIND = 'known value'
/** A shorter one would be found everywhere. */
const SHORTEST_VALUE = 4
/** Of a value in base64, which is found in any text that was encoded with it. */
const SHORTEST_CODE = 6

/**
 * Finds values as they are and as they are encoded: in JSON, in addresses, in base64, as hex digits; also where lines are
 * broken within them, as `base64` and `fold` do.
 */
export function createKnownValueFinder(values: readonly string[]): Finder {
  const forms = [...new Set(values.flatMap(formsOf))]
  return {
    find(text) {
      const places = forms.flatMap((form) => placesOf(text, form))
      const { joined, placeOf } = withoutLineBreaks(text)
      if (joined === text) return places
      const broken = forms.flatMap((form) => placesOf(joined, form))
      return [
        ...places,
        ...broken.map(({ start, end, kind }) => ({
          start: placeOf(start),
          end: placeOf(end - 1) + 1,
          kind,
        })),
      ]
    },
    holdFrom(text) {
      const { joined, placeOf } = withoutLineBreaks(text)
      // Of a short one three characters would be too much of it.
      const begins = forms.map((form) => {
        const seen = Math.min(SEEN_LENGTH, form.length >> 2)
        return Math.max(prefixAtEnd(joined, form, seen), prefixAtEnd(text, form, seen))
      })
      const begin = Math.max(0, ...begins)
      return begin === 0 ? text.length : placeOf(joined.length - begin)
    },
  }
}

function placesOf(text: string, form: string): Span[] {
  const places: Span[] = []
  // One place may overlap the next.
  for (let start = text.indexOf(form); start !== -1; start = text.indexOf(form, start + 1)) {
    places.push({ start, end: start + form.length, kind: KNOWN_KIND })
  }
  return places
}

/** A text as one line, and where each of its places is in the text. */
function withoutLineBreaks(text: string): { joined: string; placeOf: (at: number) => number } {
  const lines = text.split(/\r?\n|\r$/)
  if (lines.length === 1) return { joined: text, placeOf: (at) => at }
  /** For each line where it begins, in the joined text and in the text. */
  const begins: { joined: number; own: number }[] = []
  let joined = 0
  let own = 0
  for (const line of lines) {
    begins.push({ joined, own })
    joined += line.length
    own += line.length + (text.charAt(own + line.length) === '\r' ? 2 : 1)
  }
  return {
    joined: lines.join(''),
    placeOf(at) {
      let [low, high] = [0, begins.length - 1]
      while (low < high) {
        const middle = (low + high + 1) >> 1
        if ((begins[middle]?.joined ?? 0) <= at) low = middle
        else high = middle - 1
      }
      const begin = begins[low] ?? { joined: 0, own: 0 }
      return begin.own + at - begin.joined
    },
  }
}

function formsOf(value: string): string[] {
  if (value.length < SHORTEST_VALUE) return []
  const inAddress = encodeURIComponent(value.toWellFormed())
  const lowerCase = inAddress.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    inAddress,
    lowerCase,
    inAddress.replaceAll('%20', '+'),
    ...hexForms(value),
    ...base64Forms(value),
  ]
}

/** Its bytes as hex digits, bare, for an address and for JSON, in both cases. */
function hexForms(value: string): string[] {
  const bytes = [...new TextEncoder().encode(value)]
  const codes = bytes.map((byte) => byte.toString(16).padStart(2, '0'))
  const escapes = Array.from({ length: value.length }, (_, at) =>
    value.charCodeAt(at).toString(16).padStart(4, '0'),
  )
  const forms = [
    codes.join(''),
    codes.map((code) => `%${code}`).join(''),
    codes.map((code) => `\\x${code}`).join(''),
    codes.join(' '),
    escapes.map((code) => `\\u${code}`).join(''),
  ]
  return forms.flatMap((form) => [form, form.replaceAll(/[a-f]/g, (digit) => digit.toUpperCase())])
}

/**
 * What base64 makes of a value wherever it stands in what is encoded: the characters that depend on
 * nothing else, for each of the three ways in which its bytes can fall.
 */
function base64Forms(value: string): string[] {
  const bytes = new TextEncoder().encode(value)
  return [0, 1, 2].flatMap((shift) => {
    const shifted = [...new Uint8Array(shift), ...bytes]
    const code = btoa(shifted.map((byte) => String.fromCharCode(byte)).join(''))
    const begin = Math.ceil((shift * 8) / 6)
    const form = code.slice(begin, Math.floor((shifted.length * 8) / 6))
    if (form.length < SHORTEST_CODE) return []
    return [form, form.replaceAll('+', '-').replaceAll('/', '_')]
  })
}
