import type { JSONValue } from 'ai'
import { EngineError } from '../errors.ts'
import type { StorageChanges, StorageClaim } from './storage.ts'

/** A change of a namespace with its values as JSON texts. */
export interface PendingChange {
  /** All records go first. */
  readonly clear: boolean
  /** JSON texts by key. */
  readonly put: ReadonlyMap<string, string>
  /** Keys, none of them in `put`. */
  readonly remove: readonly string[]
  /** Without which nothing is changed; what it writes is in `put`. It is over once that is pending. */
  readonly claim?: StorageClaim
}

/** A change that takes all records away. */
export const CLEARING: PendingChange = { clear: true, put: new Map(), remove: [] }

/**
 * The JSON texts of a change, taken at once, so that a value that cannot be stored fails before
 * anything is written.
 */
export function pendingChange({
  put = new Map(),
  remove = [],
  claim,
}: StorageChanges): PendingChange {
  const texts = new Map<string, string>()
  for (const [key, value] of put) texts.set(key, toText(key, value))
  if (claim) texts.set(claim.key, toText(claim.key, claim.id))
  return {
    clear: false,
    put: texts,
    remove: remove.filter((key) => !texts.has(key)),
    ...(claim && { claim }),
  }
}

function toText(key: string, value: JSONValue): string {
  const text: string | undefined = JSON.stringify(value)
  if (text !== undefined) return text
  throw new EngineError(
    'invalid_argument',
    `The record ${JSON.stringify(key)} is no JSON value: put only what JSON.stringify writes.`,
  )
}

/** The text of a change, for an entry that outlives the process. Values are not escaped again. */
export function writePendingChange({ clear, put, remove }: PendingChange): string {
  const puts = Array.from(put, ([key, text]) => `[${JSON.stringify(key)},${text}]`)
  return `{"clear":${clear},"put":[${puts.join(',')}],"remove":${JSON.stringify(remove)}}`
}

/** What was written by {@link writePendingChange}; `undefined` for a text that was cut or spoilt. */
export function readPendingChange(text: string): PendingChange | undefined {
  const value = parseJson(text)
  if (!isObject(value)) return undefined
  const { clear, put, remove } = value
  if (typeof clear !== 'boolean' || !Array.isArray(put) || !isTexts(remove)) return undefined
  const texts = new Map<string, string>()
  for (const entry of put) {
    if (!Array.isArray(entry)) return undefined
    const [key, recorded] = entry
    if (typeof key !== 'string' || recorded === undefined) return undefined
    texts.set(key, JSON.stringify(recorded))
  }
  return { clear, put: texts, remove }
}

/** The value of a JSON text; `undefined` when it is none. */
export function parseJson(text: string): JSONValue | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isObject(value: JSONValue | undefined): value is { [key: string]: JSONValue | undefined } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isTexts(value: JSONValue | undefined): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}
