import { GITLEAKS_NAMED, GITLEAKS_SHAPES } from './gitleaks-rules.ts'
import type { Finder, Span } from './spans.ts'
import { escape, prefixAtEnd } from './token-finder.ts'

/** A token that is known by itself. */
interface Shape {
  readonly kind: string
  readonly pattern: RegExp
}

const rowsOf = (table: string) =>
  table
    .trim()
    .split('\n')
    .map((row) => row.split('\t'))
const longestFirst = (words: Iterable<string>) => [...words].toSorted((a, b) => b.length - a.length)

const byStart = new Map<string, Shape[]>()
for (const [kind = '', starts = '', pattern = ''] of rowsOf(GITLEAKS_SHAPES)) {
  const shape = { kind, pattern: new RegExp(`${pattern}(?![A-Za-z0-9])`, 'iy') }
  for (const start of starts.split(' ')) byStart.set(start, [...(byStart.get(start) ?? []), shape])
}
const STARTS = longestFirst(byStart.keys())
const LONGEST_START = STARTS[0]?.length ?? 0
const ANY_START = new RegExp(`(?<![A-Za-z0-9])(?:${STARTS.map(escape).join('|')})`, 'gi')
/** Those of a start, and of the starts that it begins with. */
const shapesOf = new Map(
  STARTS.map((start) => [
    start,
    STARTS.filter((one) => start.startsWith(one)).flatMap((one) => byStart.get(one) ?? []),
  ]),
)

const byName = new Map<string, RegExp[]>()
for (const [pattern = '', names = ''] of rowsOf(GITLEAKS_NAMED)) {
  const value = new RegExp(`${pattern}(?![\\w-])`, 'iy')
  for (const name of names.split(' ')) byName.set(name, [...(byName.get(name) ?? []), value])
}
const NAMES = longestFirst(byName.keys())
const ANY_NAME = new RegExp(NAMES.map(escape).join('|'), 'gi')
/** What stands between a name and its value. One blank: with an empty mask, what follows two would be the next value. */
const BETWEEN = /[ \t\w.-]{0,20}[\s'"]{0,3}(?:=>|:{1,3}=|\?=|\|\||[=>:,])[`'"=]{0,3}\s?[`'"=]{0,3}/y
/** A name stands no further before its value. */
const BEFORE_VALUE = 60

/** The kinds that {@link gitleaksFinder} finds. */
export const GITLEAKS_KINDS = [
  ...new Set([...byStart.values()].flat().map(({ kind }) => kind)),
  'api key',
]

/**
 * Finds what the rules of gitleaks find: tokens by their shape, and values behind the name of a service. How random they are
 * is not measured as gitleaks does: a mask too many costs less than a secret that is shown.
 */
export const gitleaksFinder: Finder = {
  find: (text) => [...shapes(text), ...values(text)],
  holdFrom(text) {
    const run = beginOfRun(text)
    const near = text.slice(Math.max(0, run - BEFORE_VALUE))
    if (hasOne(ANY_NAME, near) || hasOne(ANY_START, text.slice(run))) return run
    const end = near.slice(-LONGEST_START).toLowerCase()
    return text.length - Math.max(...STARTS.map((start) => prefixAtEnd(end, start)))
  },
}

function* shapes(text: string): Generator<Span> {
  ANY_START.lastIndex = 0
  for (let match = ANY_START.exec(text); match; match = ANY_START.exec(text)) {
    const start = match.index
    let end = start
    let kind = ''
    for (const shape of shapesOf.get(match[0].toLowerCase()) ?? []) {
      const reached = endOf(shape.pattern, text, start)
      if (reached > end) [end, kind] = [reached, shape.kind]
    }
    if (end > start) yield { start, end, kind }
    ANY_START.lastIndex = Math.max(end, start + 1)
  }
}

function* values(text: string): Generator<Span> {
  ANY_NAME.lastIndex = 0
  for (let match = ANY_NAME.exec(text); match; match = ANY_NAME.exec(text)) {
    const start = endOf(BETWEEN, text, match.index + match[0].length)
    if (start === -1) continue
    const patterns = byName.get(match[0].toLowerCase()) ?? []
    const end = Math.max(...patterns.map((pattern) => endOf(pattern, text, start)))
    if (end > start && isRandom(text.slice(start, end))) yield { start, end, kind: 'api key' }
  }
}

function hasOne(pattern: RegExp, text: string): boolean {
  pattern.lastIndex = 0
  return pattern.test(text)
}

/** Whether a text is no word, nor a name in a program. */
function isRandom(text: string): boolean {
  return /\d/.test(text)
}

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : -1
}

/** Where the last characters begin of which secrets are made. */
function beginOfRun(text: string): number {
  let begin = text.length
  while (begin > 0 && /[\w+/=.~%:\\-]/.test(text.charAt(begin - 1))) begin--
  return begin
}
