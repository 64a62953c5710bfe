import type { JSONValue } from 'ai'
import { describeThrown, EngineError } from '../errors.ts'
import { isEqualJson } from '../message/json-equality.ts'
import { isRecord } from '../message/tool-part.ts'
import { KEYS, RECORDS_VERSION } from './conversation-records.ts'
import { readPlaced, type Records } from './read-records.ts'
import type { StorageChanges } from './storage.ts'

/**
 * Makes the records of one version those of the next. Pure, and over whatever is there: all records
 * of a conversation, or only those that a list shows (`about`, `title`, `unread`). The version in
 * `about` is written for it.
 */
export type Migration = (records: Records) => Records

/** How records are written, and how older ones become such. */
export interface RecordsSchema {
  readonly version: number
  /** By the version that they begin with: one for each that is older. */
  readonly migrations: ReadonlyMap<number, Migration>
}

/**
 * The schema of today. A change of the records that this version cannot read raises
 * `RECORDS_VERSION`, gets its migration here, and a fixture of what is written from then on; what
 * it only adds (a new key, a field that may be missing) needs neither.
 */
export const SCHEMA: RecordsSchema = {
  version: RECORDS_VERSION,
  migrations: new Map([
    [1, withParents],
    [2, withoutClaims],
  ]),
}

/** In version 1 the order of the places was that of the messages, and all were shown. */
function withParents(records: Records): Records {
  const migrated = new Map(records)
  let parent: string | null = null
  for (const { place, message } of readPlaced(records)) {
    const head = records.get(KEYS.message(place))
    if (isRecord(head)) migrated.set(KEYS.message(place), { ...head, parent })
    parent = message.id
  }
  if (parent !== null) migrated.set(KEYS.leaf, parent)
  return migrated
}

/** In version 2 each call that had started had a record of its own for that. */
function withoutClaims(records: Records): Records {
  return new Map([...records].filter(([key]) => !key.startsWith('claim:')))
}

/** Records as the schema has them, and what is to be written for that, if anything is. */
export interface Migrated {
  readonly records: Records
  readonly changes: StorageChanges | undefined
}

/**
 * Brings records to the version of a schema. Those without a version are taken for its own. Throws
 * `storage_newer` for those of a newer one, and `storage_failed` when a migration throws or misses:
 * they are to be left as they are.
 */
export function migrate(records: Records, schema: RecordsSchema): Migrated {
  const from = versionOf(records) ?? schema.version
  if (from > schema.version) throw newer(from)
  let migrated = records
  for (let version = from; version < schema.version; version++) {
    migrated = withVersion(step(migrated, version, schema), version + 1)
  }
  return {
    records: migrated,
    changes: migrated === records ? undefined : between(records, migrated),
  }
}

function step(records: Records, version: number, { migrations }: RecordsSchema): Records {
  try {
    const migration = migrations.get(version)
    if (migration) return migration(records)
  } catch (cause) {
    throw failed(version, describeThrown(cause), cause)
  }
  throw failed(version, 'there is no migration')
}

function versionOf(records: Records): number | undefined {
  const about = records.get(KEYS.about)
  const version = isRecord(about) ? about['version'] : undefined
  return Number.isInteger(version) ? Number(version) : undefined
}

function withVersion(records: Records, version: number): Records {
  const about = records.get(KEYS.about)
  return isRecord(about) ? new Map([...records, [KEYS.about, { ...about, version }]]) : records
}

function between(before: Records, after: Records): StorageChanges {
  const put = new Map<string, JSONValue>()
  for (const [key, value] of after) if (!isEqualJson(before.get(key), value)) put.set(key, value)
  return { put, remove: [...before.keys()].filter((key) => !after.has(key)) }
}

function newer(version: number): EngineError {
  const text = `This conversation was stored by a newer version (records ${version}): update the app.`
  return new EngineError('storage_newer', text, { details: { version } })
}

function failed(version: number, why: string, cause?: unknown): EngineError {
  const text = `Records of version ${version} could not be brought to the next one, and are left as they are: ${why}`
  return new EngineError('storage_failed', text, { cause, details: { version } })
}
