import type { ApprovalScope, FieldPattern, FieldPatterns } from '../../confirmation.ts'
import { isDevelopment } from '../../development.ts'
import { EngineError } from '../../errors.ts'
import { given } from '../../message/given.ts'
import { isRecord, type ToolRisk } from '../../message/tool-part.ts'

/** What a `yes_always` was given on, and what it covers. */
export interface ScopedCall {
  readonly toolName: string
  readonly fingerprint: string
  /** As it was granted; records of before that say nothing cover the tool. Must be valid, see {@link readScope}. */
  readonly scope?: ApprovalScope | undefined
}

/** A tool call that asks whether it is covered. */
export interface CoveredCall {
  readonly toolName: string
  readonly input: unknown
  readonly fingerprint: string
  readonly risk?: ToolRisk | undefined
  /** Only its exact input covers it. */
  readonly exactOnly?: boolean
}

/**
 * Reads a scope of unknown origin; of `undefined` nothing was said, `{}`. The result shares nothing
 * with what was given. Throws `invalid_argument` that names the field and what it must be.
 */
export function readScope(scope: unknown): ApprovalScope {
  if (scope === undefined) return {}
  if (!isRecord(scope)) refuse('scope', isDevelopment && 'must be an object, or be left out')
  const { covers, where, until, uses, ...others } = scope
  refuseKeys('scope', others, 'covers, where, until, uses')
  if (where !== undefined && where !== 'conversation' && where !== 'everywhere') {
    refuse('scope.where', isDevelopment && "must be 'conversation' or 'everywhere'")
  }
  if (until !== undefined && !isFinite(until)) {
    refuse('scope.until', isDevelopment && 'must be a time in milliseconds since the epoch')
  }
  if (uses !== undefined && (!isFinite(uses) || !Number.isInteger(uses) || uses < 1)) {
    refuse('scope.uses', isDevelopment && 'must be a whole number of at least 1')
  }
  return given({ covers: covers === undefined ? covers : readCovers(covers), where, until, uses })
}

/** How long a permission stands for which nothing was said, in milliseconds: 8 hours. */
const UNSAID_MS = 8 * 3_600_000

/**
 * A scope as it is granted at a time: what was left open is as narrow as can be, since wider is to be
 * said. One of which nothing was said covers this exact input for 8 hours.
 */
export function grantedScope(scope: ApprovalScope, at: number): ApprovalScope {
  const isUnsaid = Object.keys(scope).length === 0
  return { covers: 'input', ...(isUnsaid && { until: at + UNSAID_MS }), ...scope }
}

function readCovers(covers: unknown): NonNullable<ApprovalScope['covers']> {
  if (covers === 'tool' || covers === 'input') return covers
  if (!isRecord(covers) || Object.keys(covers).length === 0) {
    refuse('scope.covers', isDevelopment && "must be 'tool', 'input', or patterns by JSON Pointer")
  }
  const patterns = Object.entries(covers).map(([pointer, pattern]): [string, FieldPattern] => {
    const field = `scope.covers[${JSON.stringify(pointer)}]`
    if (!POINTER.test(pointer))
      refuse(field, isDevelopment && 'must be a JSON Pointer, such as "/path"')
    return [pointer, readPattern(field, pattern)]
  })
  return Object.fromEntries(patterns)
}

function readPattern(field: string, pattern: unknown): FieldPattern {
  if (!isRecord(pattern)) refuse(field, KINDS)
  const { prefix, glob, min, max, oneOf, ...others } = pattern
  refuseKeys(field, others, 'prefix, glob, min and max, oneOf')
  const isRange = min !== undefined || max !== undefined
  const kinds = [prefix !== undefined, glob !== undefined, isRange, oneOf !== undefined]
  if (kinds.filter(Boolean).length !== 1) refuse(field, KINDS)
  if (prefix !== undefined) return { prefix: readText(`${field}.prefix`, prefix) }
  if (glob !== undefined) return { glob: readText(`${field}.glob`, glob) }
  if (oneOf !== undefined) {
    // A copy has no holes, which `every` would pass over.
    const values: unknown[] = Array.isArray(oneOf) ? [...oneOf] : []
    if (values.length === 0 || !values.every(isPrimitive)) {
      refuse(
        `${field}.oneOf`,
        isDevelopment && 'must be a list of at least one text, number, boolean or null',
      )
    }
    return { oneOf: values }
  }
  const range = given({ min: readBound(field, min), max: readBound(field, max) })
  if ((range.min ?? -Infinity) > (range.max ?? Infinity)) {
    refuse(field, isDevelopment && 'must have a min that is not above its max')
  }
  return range
}

function readText(field: string, text: unknown): string {
  if (typeof text === 'string' && text !== '') return text
  return refuse(field, isDevelopment && 'must be a text that is not empty')
}

function readBound(field: string, bound: unknown): number | undefined {
  if (bound === undefined || isFinite(bound)) return bound
  return refuse(field, isDevelopment && 'must have finite numbers as bounds')
}

const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/
const KINDS = isDevelopment && 'must be one of { prefix }, { glob }, { min, max }, { oneOf }'

function refuse(field: string, must: string | false): never {
  throw new EngineError('invalid_argument', must && `"${field}" ${must}.`, { details: { field } })
}

function refuseKeys(field: string, others: Readonly<Record<string, unknown>>, known: string): void {
  const [unknown] = Object.keys(others)
  if (unknown !== undefined)
    refuse(`${field}.${unknown}`, isDevelopment && `is not known. Give ${known} only`)
}

function isFinite(value: unknown): value is number {
  return Number.isFinite(value)
}

function isPrimitive(value: unknown): value is string | number | boolean | null {
  return (
    typeof value === 'string' || typeof value === 'boolean' || value === null || isFinite(value)
  )
}

/**
 * Whether a `yes_always` covers a call, by tool and fields alone; time, uses and conversation are the
 * policy's. A call of risk `destroy`, or of a tool that wants so, is covered by its exact input only. A
 * folder (what ends in `/`) holds no further words and no hidden names, such as `.git` and `.env`; an
 * address is compared by its host. In doubt it is not covered:
 * what a prefix or wildcard leaves open has no control, invisible or shell characters, no `=` or `,`,
 * no word that begins with anything but a letter, digit, `_`, `.` or `/` (so no options), no `//`,
 * nothing that looks like a slash or that Unicode (NFKC) takes for something else, and does not follow
 * an operator; beside it the text has no segment `.` or `..` and no backslash.
 */
export function coversCall(confirmation: ScopedCall, call: CoveredCall): boolean {
  const covers = confirmation.scope?.covers ?? 'tool'
  if (confirmation.toolName !== call.toolName) return false
  if (covers === 'input') return confirmation.fingerprint === call.fingerprint
  if (call.risk === 'destroy' || call.exactOnly) return false
  return covers === 'tool' || matchesFields(covers, call.input)
}

function matchesFields(patterns: FieldPatterns, input: unknown): boolean {
  return Object.entries(patterns).every(([pointer, pattern]) => {
    const field = pointer.split('/').slice(1).reduce(fieldOf, input)
    return matches(pattern, field)
  })
}

/** One step of a JSON Pointer (RFC 6901). Own fields only; `length` and the like are none. */
function fieldOf(value: unknown, token: string): unknown {
  const key = token.replaceAll('~1', '/').replaceAll('~0', '~')
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return Array.isArray(value) && !/^\d+$/.test(key) ? undefined : Reflect.get(value, key)
}

function matches(pattern: FieldPattern, value: unknown): boolean {
  if ('oneOf' in pattern) return pattern.oneOf.some((one) => one === value)
  if ('prefix' in pattern) return typeof value === 'string' && hasPrefix(value, pattern.prefix)
  if ('glob' in pattern) return typeof value === 'string' && fitsGlob(value, pattern.glob)
  const { min = -Infinity, max = Infinity } = pattern
  return isFinite(value) && value >= min && value <= max
}

function hasPrefix(text: string, prefix: string): boolean {
  if (text === prefix) return true
  const goesOn = /[/ ]$/.test(prefix) || /^[/ ]/.test(text.slice(prefix.length))
  if (!text.startsWith(prefix) || !goesOn || MISLEADING.test(text)) return false
  if (!fitsHost(text, prefix)) return false
  const length = [...prefix].length
  const chars = [...text]
  // A folder goes on with names, not with further words.
  const isFolder = prefix.endsWith('/') || chars[length] === '/'
  if (isFolder && chars.includes(' ', length)) return false
  return openPositions(chars).slice(length).every(Boolean)
}

/**
 * `*` matches within a segment or word, `**` across them, all else stands for itself. All ways to
 * match are followed at once: the time is bounded by the length of the text times that of the glob.
 */
function fitsGlob(text: string, glob: string): boolean {
  if (!glob.includes('*')) return text === glob
  if (MISLEADING.test(text) || !fitsHost(text, glob)) return false
  const chars = [...text]
  const open = openPositions(chars)
  const tokens = glob.match(/\*\*?|[^*]/gsu) ?? []
  // The tokens that the text so far can have led to.
  let reached = new Set([0])
  for (let at = 0; ; at++) {
    const char = chars[at] ?? ''
    const isEmptySegment = char === '/' && chars[at - 1] === '/'
    const next = new Set<number>()
    for (const index of reached) {
      const token = tokens[index]
      if (token === '*' || token === '**') {
        // A set that grows while it is gone through: what follows has its turn with this character.
        if (!isEmptySegment) reached.add(index + 1)
        const isFolder = tokens[index - 1] === '/'
        const isWide = token === '**' && !(isFolder && char === ' ')
        if (open[at] && (isWide || !/[/ ]/.test(char))) next.add(index)
      } else if (token === char) next.add(index + 1)
    }
    if (at === chars.length) return reached.has(tokens.length)
    reached = next
  }
}

const AUTHORITY = /^[a-z][a-z\d+.-]*:\/\/([^/?#\s]*)/i

/** Whether an address has the host of a pattern that is one; a `*` there is one whole label. */
function fitsHost(text: string, pattern: string): boolean {
  const wanted = AUTHORITY.exec(pattern)?.[1]
  if (wanted === undefined) return true
  const given = AUTHORITY.exec(text)?.[1]
  if (given === undefined || !URL.canParse(text)) return false
  const { host, username, password } = new URL(text)
  // By another host, or with a name before it, an address leads elsewhere than it seems.
  if (username !== '' || password !== '' || host !== given.toLowerCase()) return false
  const labels = given.toLowerCase().split('.')
  const parts = wanted.toLowerCase().split('.')
  return (
    labels.length === parts.length &&
    parts.every((part, index) => (part === '*' ? labels[index] !== '' : part === labels[index]))
  )
}

/** Where a text has a backslash, or a segment or word that is `.` or `..`. */
const MISLEADING = /\\|(?<![\w.-])\.{1,2}(?![\w.-])/
/** Also all spaces but the plain one. U+2800 is a blank that counts as a symbol. */
const UNSAFE = /(?! )[\p{C}\p{Z}\p{DI}\u2800;&|<>$`(){}[\]\\'"*?#!~%^=,]/u
/** Slashes and colons that are none. What is another character in NFKC is found by that. */
const LOOKALIKE =
  /[\u0337\u0338\u2044\u2215\u2216\u2236\u2571\u2572\u27CB\u27CD\u29F5\u29F8\u29F9\uA789]/u
const OPERATOR = /[\p{C};&|<>$`({!]/u
const WORD_START = /[\p{L}\p{N}_./]/u

/** For each character whether a prefix or wildcard may leave it open. */
function openPositions(chars: readonly string[]): boolean[] {
  let last = ''
  return chars.map((char, at) => {
    const before = chars[at - 1] ?? ' '
    const isHidden = char === '.' && /[/ ]/.test(before)
    const fits = before === ' ' ? WORD_START.test(char) : before + char !== '//'
    const isItself = char.normalize('NFKC') === char && !LOOKALIKE.test(char)
    const isOpen = fits && !isHidden && isItself && !UNSAFE.test(char) && !OPERATOR.test(last)
    if (char !== ' ') last = char
    return isOpen
  })
}
