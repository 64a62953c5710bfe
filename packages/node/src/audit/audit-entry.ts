import { hash } from 'node:crypto'
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
 */
export type AuditKind = 'call' | 'decision' | 'policy' | 'refusal' | 'task'

/** What an entry says, by field; those that are not known are missing. */
export type AuditPayload = Readonly<Record<string, JSONValue | undefined>>

/** An entry of the audit. */
export interface AuditEntry {
  /** Counted from 1, without a gap. */
  readonly seq: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly kind: AuditKind
  readonly payload: AuditPayload
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

/** An entry as it is stored: its payload is the very text that was hashed. */
export interface StoredEntry {
  readonly seq: number
  readonly at: number
  readonly kind: string
  readonly payload: string
  readonly prevHash: string
  readonly hash: string
}

/** What is hashed of an entry: its line of JSON without the hash. */
export function hashOf(entry: Omit<StoredEntry, 'hash'>): string {
  return hash('sha256', `${beginningOf(entry)}}`, 'hex')
}

/** The entry as a line of JSON. */
export function lineOf(entry: StoredEntry): string {
  return `${beginningOf(entry)},"hash":"${entry.hash}"}`
}

/** All texts but the payload are checked: they are read from lines that anybody may have written. */
function beginningOf({ seq, at, kind, payload, prevHash }: Omit<StoredEntry, 'hash'>): string {
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
    payload,
  }: { readonly at: number; readonly kind: AuditKind; readonly payload: string },
): StoredEntry {
  const entry = { seq: head.seq + 1, at, kind, payload, prevHash: head.hash }
  return { ...entry, hash: hashOf(entry) }
}

/** A payload as it is written: one line for all that read lines, in which nothing is hidden from who looks at it. */
export function payloadText(payload: AuditPayload): string {
  return visibleJson(payload)
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

/** An entry whose payload has been read. */
export function toEntry({ payload, kind, ...entry }: StoredEntry): AuditEntry {
  return { ...entry, kind: toKind(kind), payload: toPayload(payload) }
}

const KINDS: readonly AuditKind[] = ['call', 'decision', 'policy', 'refusal', 'task']

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
