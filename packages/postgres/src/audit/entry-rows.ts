import { fullPayload, textIn, toStoredEntry, type StoredEntry } from '@assent/node/audit'
import type { Row } from '../open-postgres.ts'
import { unnested, type SqlValues } from './unnested.ts'

/** Whose entry it is, and who decided, by its body: what is looked for to erase it. */
function peopleOf({ payload, body }: StoredEntry): { owner: string | null; who: string | null } {
  if (body === null) return { owner: null, who: null }
  const full = fullPayload({ payload, body })
  const plain = (text: string | undefined) => text?.replaceAll('\0', '') ?? null
  return { owner: plain(textIn(full, 'owner')), who: plain(textIn(full, 'who')) }
}

const COLUMNS = [
  ['seq', 'bigint'],
  ['at', 'bigint'],
  ['kind', 'text'],
  ['payload', 'text'],
  ['body', 'text'],
  ['prev_hash', 'text'],
  ['hash', 'text'],
  ['owner', 'text'],
  ['who', 'text'],
] as const

/** What adds entries, as a part of a statement whose values before it are `before` many. */
export function addEntries(entries: readonly StoredEntry[], before: number): SqlValues {
  const people = entries.map(peopleOf)
  const names = COLUMNS.map(([name]) => name).join(', ')
  return {
    sql: `insert into assent.audit_entries (${names}) select * from ${unnested(COLUMNS, before)}`,
    values: [
      entries.map(({ seq }) => seq),
      entries.map(({ at }) => at),
      entries.map(({ kind }) => kind),
      entries.map(({ payload }) => payload),
      entries.map(({ body }) => body),
      entries.map(({ prevHash }) => prevHash),
      entries.map(({ hash }) => hash),
      people.map(({ owner }) => owner),
      people.map(({ who }) => who),
    ],
  }
}

/** The entry that was selected with its people. One that is filed under others is not as it was written. */
export function toCheckedEntry(row: Row): StoredEntry {
  const entry = toStoredEntry(row)
  const { owner, who } = peopleOf(entry)
  return row['owner'] === owner && row['who'] === who ? entry : { ...entry, hash: `${entry.hash} ` }
}
