import type { Finder, Span } from './spans.ts'
import { prefixAtEnd, SEEN_LENGTH } from './token-finder.ts'

export const KNOWN_KIND = 'known value'
/** A shorter one would be found everywhere. */
const SHORTEST_VALUE = 4
/** Of a value in base64, which is found in any text that was encoded with it. */
const SHORTEST_CODE = 6

/** Finds values as they are and as they are encoded: in JSON, in addresses, in base64. */
export function createKnownValueFinder(values: readonly string[]): Finder {
  const forms = [...new Set(values.flatMap(formsOf))]
  return {
    find: (text) => forms.flatMap((form) => placesOf(text, form)),
    holdFrom: (text) =>
      Math.min(
        text.length,
        // Of a short one three characters would be too much of it.
        ...forms.map((form) => {
          const seen = Math.min(SEEN_LENGTH, form.length >> 2)
          return text.length - prefixAtEnd(text, form, seen)
        }),
      ),
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
    ...base64Forms(value),
  ]
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
