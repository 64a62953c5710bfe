import type { Finder, Span } from './spans.ts'
import { STRUCTURES, type Structure } from './structures.ts'
import { prefixAtEnd } from './token-finder.ts'

/** The kinds that {@link structureFinder} finds. */
export const STRUCTURE_KINDS = [...STRUCTURES.map(({ kind }) => kind), 'private key']

const BEGIN = '-----BEGIN '
const KEY_BEGIN = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g
const KEY_END = '-----END '
const DASHES = '-----'

/** Finds secrets that are known by how they are built. */
export const structureFinder: Finder = {
  find: (text) => [...STRUCTURES.flatMap((one) => findAll(text, one)), ...privateKeys(text)],
  holdFrom(text) {
    const holds = STRUCTURES.map(({ unfinished, run }) => {
      let begin = text.length
      while (begin > 0 && run.test(text.charAt(begin - 1))) begin--
      const found = unfinished.exec(lastOf(text.slice(begin)))
      return found ? text.length - found[0].length : text.length
    })
    return Math.min(...holds, unfinishedKey(text))
  },
}

/** Of an address with others in it, the last one. */
function lastOf(run: string): string {
  const address = run.lastIndexOf('://')
  return address === -1 ? run : run.slice(address)
}

function findAll(text: string, { kind, pattern }: Structure): Span[] {
  return [...text.matchAll(pattern)].map((match) => {
    const end = match.index + match[0].length
    return { start: end - (match.groups?.['secret']?.length ?? 0), end, kind }
  })
}

/** Private keys in PEM, to the end of the text where one has no end. */
function privateKeys(text: string): Span[] {
  const spans: Span[] = []
  KEY_BEGIN.lastIndex = 0
  for (let match = KEY_BEGIN.exec(text); match; match = KEY_BEGIN.exec(text)) {
    const last = text.indexOf(KEY_END, match.index)
    const dashes = last === -1 ? -1 : text.indexOf(DASHES, last + KEY_END.length)
    const end = dashes === -1 ? text.length : dashes + DASHES.length
    spans.push({ start: match.index, end, kind: 'private key' })
    KEY_BEGIN.lastIndex = end
  }
  return spans
}

/** Where a line begins, at the end of a text, that can become the first one of a private key. */
function unfinishedKey(text: string): number {
  const begin = text.lastIndexOf(BEGIN)
  if (begin !== -1 && /^[A-Z0-9 ]*-{0,5}$/.test(text.slice(begin + BEGIN.length))) return begin
  return text.length - prefixAtEnd(text, BEGIN)
}
