import type { Finder, Span } from './spans.ts'
import type { TokenShape } from './token-shape.ts'

/** So much of the beginning of a secret may be seen in a partial text. */
export const SEEN_LENGTH = 3

/** Finds tokens by how they begin. */
export function createTokenFinder(shapes: readonly TokenShape[]): Finder {
  const byStart = new Map(shapes.flatMap((shape) => shape.starts.map((start) => [start, shape])))
  // The longest first, so that none is taken for the beginning of another.
  const starts = [...byStart.keys()].toSorted((a, b) => b.length - a.length)
  const anyStart = new RegExp(`(?<![A-Za-z0-9])(?:${starts.map(escape).join('|')})`, 'g')
  // More than the longest body are not read, so that no place is the reason to read all of the rest.
  const bodies = new Map(
    shapes.map((shape) => {
      const upTo = shape.max === undefined ? '' : shape.max + 1
      return [shape, new RegExp(`[${shape.body}]{0,${upTo}}`, 'y')]
    }),
  )
  const startsByBody = Map.groupBy(starts, (start) => byStart.get(start)?.body ?? '')

  function tokenAt(text: string, start: string, at: number): Span | undefined {
    const shape = byStart.get(start)
    const pattern = shape && bodies.get(shape)
    if (!shape || !pattern) return undefined
    const { min, max = Infinity, kind, keepsStart, accepts } = shape
    const from = at + start.length
    pattern.lastIndex = from
    const body = pattern.exec(text)?.[0] ?? ''
    const isToken = body.length >= min && body.length <= max && (accepts?.(body) ?? true)
    if (!isToken) return undefined
    // A sentence may end after it.
    const { length } = body.replace(/\.{1,3}$/, '')
    return { start: keepsStart ? from : at, end: from + length, kind }
  }

  return {
    find(text) {
      const spans: Span[] = []
      anyStart.lastIndex = 0
      for (let match = anyStart.exec(text); match; match = anyStart.exec(text)) {
        const token = tokenAt(text, match[0], match.index)
        if (token) spans.push(token)
        anyStart.lastIndex = token?.end ?? match.index + 1
      }
      return spans
    },
    holdFrom(text) {
      let hold = text.length
      for (const [body, ownStarts] of startsByBody) {
        const run = beginOfRun(text, body)
        for (const start of ownStarts) {
          const isKept = byStart.get(start)?.keepsStart ?? false
          const at = indexOfStart(text, start, run - start.length)
          if (at !== -1) hold = Math.min(hold, isKept ? at + start.length : at)
          else if (!isKept) hold = Math.min(hold, text.length - prefixAtEnd(text, start))
        }
      }
      return hold
    },
  }
}

/** How much of the end of a text is the beginning of another; 0 when that may be seen. */
export function prefixAtEnd(text: string, other: string, seen = SEEN_LENGTH): number {
  for (let length = Math.min(other.length - 1, text.length); length > seen; length--) {
    if (text.endsWith(other.slice(0, length))) return length
  }
  return 0
}

/** Where the last characters begin that are all of one sort. */
function beginOfRun(text: string, body: string): number {
  const isIn = setOf(body)
  let begin = text.length
  while (begin > 0 && isIn.has(text.charCodeAt(begin - 1))) begin--
  return begin
}

const sets = new Map<string, ReadonlySet<number>>()

/** The codes of the characters that a class of a regular expression holds; all are ASCII. */
function setOf(body: string): ReadonlySet<number> {
  const known = sets.get(body)
  if (known) return known
  const pattern = new RegExp(`[${body}]`)
  const codes = Array.from({ length: 128 }, (_, code) => code)
  const set = new Set(codes.filter((code) => pattern.test(String.fromCharCode(code))))
  sets.set(body, set)
  return set
}

function indexOfStart(text: string, start: string, from: number): number {
  let at = text.indexOf(start, Math.max(0, from))
  while (at > 0 && /[A-Za-z0-9]/.test(text.charAt(at - 1))) at = text.indexOf(start, at + 1)
  return at
}

/** A text as a regular expression that matches it. */
export function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
}
