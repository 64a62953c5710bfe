import { hash, randomBytes } from 'node:crypto'
import { visibleJson } from '@assent/engine/reading'
import type { JSONValue } from 'ai'
import { DatabaseError } from '../sqlite/database-error.ts'

/**
 * What an entry is about:
 * - `call` a tool call has come to a phase
 * - `decision` a person has decided on a call, or took a permission back
 * - `policy` a standing permission was used, or has become void
 * - `refusal` a path or a command was refused
 * - `task` a task has come to a phase
 * - `erasure` what some entries before it say was erased
 */
export type AuditKind = 'call' | 'decision' | 'policy' | 'refusal' | 'task' | 'erasure'

/** What an entry says, by field; those that are not known are missing. */
export type AuditPayload = Readonly<Record<string, JSONValue | undefined>>

/** An entry of the audit. */
export interface AuditEntry {
  /** Counted from 1, without a gap. */
  readonly seq: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly kind: AuditKind
  /** All that it says; once that was erased, what remains: names, phases, and the hash of the rest. */
  readonly payload: AuditPayload
  /** When what people and tools said in it was erased, in milliseconds since the epoch. */
  readonly erasedAt?: number
  /** The hash of the entry before; zeros for the first. */
  readonly prevHash: string
  /** SHA-256, in hex, of the entry's line without this field. */
  readonly hash: string
}

/** The last entry at some moment. */
export interface AuditHead {
  readonly seq: number
  readonly hash: string
}

/** The hash that comes before the first. */
export const NO_HASH = '0'.repeat(64)

/**
 * An entry as it is stored: its payload is the very text that was hashed, and has the hash of the body. The
 * body can be erased without breaking the chain.
 */
export interface StoredEntry {
  readonly seq: number
  readonly at: number
  readonly kind: string
  readonly payload: string
  /** What people and tools said, with a salt, so that nobody can guess it by its hash. */
  readonly body: string | null
  readonly erasedAt: number | null
  readonly prevHash: string
  readonly hash: string
}

/** What is hashed of an entry. */
type Hashed = Omit<StoredEntry, 'hash' | 'body' | 'erasedAt'>

/** The hash of an entry: of its line of JSON up to there. */
export function hashOf(entry: Hashed): string {
  return hash('sha256', `${beginningOf(entry)}}`, 'hex')
}

/** The entry as a line of JSON. */
export function lineOf(entry: StoredEntry): string {
  const { body, erasedAt } = entry
  const rest =
    body !== null ? `,"body":${body}` : erasedAt !== null ? `,"erasedAt":${erasedAt}` : ''
  return `${beginningOf(entry)},"hash":"${entry.hash}"${rest}}`
}

/** All texts but the payload are checked: they are read from lines that anybody may have written. */
function beginningOf({ seq, at, kind, payload, prevHash }: Hashed): string {
  return (
    `{"seq":${seq},"at":${at},"kind":${JSON.stringify(kind)},"payload":${payload},` +
    `"prevHash":${JSON.stringify(prevHash)}`
  )
}

/** The entry that follows another one. */
export function entryAfter(
  head: AuditHead,
  {
    at,
    kind,
    payload: given,
  }: { readonly at: number; readonly kind: AuditKind; readonly payload: AuditPayload },
): StoredEntry {
  const { payload, body } = split(given)
  const entry = { seq: head.seq + 1, at, kind, payload, prevHash: head.hash }
  return { ...entry, body, erasedAt: null, hash: hashOf(entry) }
}

/** What people and tools have said, and who: it can be erased. */
const BODY_FIELDS: ReadonlySet<string> = new Set([
  'arguments',
  'output',
  'error',
  'fingerprint',
  'who',
  'owner',
  'requester',
  'reason',
  'scope',
  'editedInput',
  'subject',
  'message',
])

/** A payload as it is written: one line for all that read lines, in which nothing is hidden from who looks at it. */
function split(payload: AuditPayload): { readonly payload: string; readonly body: string | null } {
  const said = Object.entries(payload).filter(([, value]) => value !== undefined)
  const erasable = said.filter(([field]) => BODY_FIELDS.has(field))
  const kept = Object.fromEntries(said.filter(([field]) => !BODY_FIELDS.has(field)))
  if (erasable.length === 0) return { payload: visibleJson(kept), body: null }
  const salt = randomBytes(16).toString('base64url')
  const body = visibleJson({ ...Object.fromEntries(erasable), salt })
  return { payload: visibleJson({ ...kept, body: bodyHash(body) }), body }
}

/** The hash of a body, as the payload of its entry has it. */
export function bodyHash(body: string): string {
  return hash('sha256', body, 'hex')
}

/** What a payload says; nothing, when somebody has spoilt it. */
export function toPayload(text: string): AuditPayload {
  try {
    const value: unknown = JSON.parse(text)
    return isPayload(value) ? value : {}
  } catch {
    return {}
  }
}

function isPayload(value: unknown): value is AuditPayload {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An entry that has been read. */
export function toEntry({
  seq,
  at,
  kind,
  erasedAt,
  prevHash,
  hash,
  ...said
}: StoredEntry): AuditEntry {
  const payload = fullPayload(said)
  const entry = { seq, at, kind: toKind(kind), payload, prevHash, hash }
  return erasedAt === null ? entry : { ...entry, erasedAt }
}

/** All that an entry says: of one that was erased, with the hash of the rest. */
export function fullPayload({
  payload,
  body,
}: Pick<StoredEntry, 'payload' | 'body'>): AuditPayload {
  if (body === null) return toPayload(payload)
  const { body: _hash, ...kept } = toPayload(payload)
  const { salt: _salt, ...said } = toPayload(body)
  return { ...kept, ...said }
}

const KINDS: readonly AuditKind[] = ['call', 'decision', 'policy', 'refusal', 'task', 'erasure']

function toKind(text: string): AuditKind {
  const kind = KINDS.find((one) => one === text)
  if (kind) return kind
  throw new DatabaseError(
    'database_unreadable',
    `The audit has an entry of the kind ${JSON.stringify(text)}, which nobody writes; verify it.`,
  )
}

/** A text of a payload, if it has that. */
export function textIn(payload: AuditPayload, field: string): string | undefined {
  const value = payload[field]
  return typeof value === 'string' ? value : undefined
}

/** A number of a payload, if it has that. */
export function numberIn(payload: AuditPayload, field: string): number | undefined {
  const value = payload[field]
  return typeof value === 'number' ? value : undefined
}
