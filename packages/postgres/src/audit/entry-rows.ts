import { fullPayload, textIn, toStoredEntry, type StoredEntry } from '@assent/node/audit'
import type { PoolClient } from 'pg'
import type { Row } from '../open-postgres.ts'

/** Whose entry it is, and who decided, by its body: what is looked for to erase it. */
function peopleOf({ payload, body }: StoredEntry): { owner: string | null; who: string | null } {
  if (body === null) return { owner: null, who: null }
  const full = fullPayload({ payload, body })
  const plain = (text: string | undefined) => text?.replaceAll('\0', '') ?? null
  return { owner: plain(textIn(full, 'owner')), who: plain(textIn(full, 'who')) }
}

/** Adds entries, in a transaction of the caller. */
export async function addEntries(
  client: PoolClient,
  entries: readonly StoredEntry[],
): Promise<void> {
  const people = entries.map(peopleOf)
  await client.query(
    `insert into assent.audit_entries (seq, at, kind, payload, body, prev_hash, hash, owner, who)
     select * from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[],
       $7::text[], $8::text[], $9::text[])`,
    [
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
  )
}

/** The entry that was selected with its people. One that is filed under others is not as it was written. */
export function toCheckedEntry(row: Row): StoredEntry {
  const entry = toStoredEntry(row)
  const { owner, who } = peopleOf(entry)
  return row['owner'] === owner && row['who'] === who ? entry : { ...entry, hash: `${entry.hash} ` }
}
