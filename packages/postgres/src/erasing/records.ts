import {
  conversationOf,
  decodeName,
  encodeName,
  endOfNames,
  removedOf,
} from '@assent/engine/storage'
import {
  everywhereNamespaces,
  isGivenIn,
  meantNamespaces,
  type ErasureSubject,
} from '@assent/node/audit'
import type { PoolClient } from 'pg'
import type { AssentPostgres, Row } from '../open-postgres.ts'

/** The namespaces that have records, or had a holder, and begin with a prefix. */
export async function namesWithin(
  query: AssentPostgres['query'],
  prefix: string,
): Promise<readonly string[]> {
  // From one name to the next, past all that is kept under each.
  const rows = await query(
    `with recursive found (name) as (
       (select min(namespace) from assent.records
         where namespace >= $1 and ($2::text is null or namespace < $2))
       union all
       select (select min(namespace) from assent.records
         where namespace > found.name and ($2::text is null or namespace < $2))
       from found where found.name is not null
     )
     select name from found where name is not null
     union select namespace from assent.leases
       where namespace >= $1 and ($2::text is null or namespace < $2)`,
    [encodeName(prefix), endOfNames(prefix) ?? null],
  )
  return rows.map(({ name }) => decodeName(String(name)))
}

/**
 * Erases the records of a subject. Who holds such a conversation has lost it: what is still written for that token is
 * refused.
 *
 * @param isReused whether the conversation of nobody goes on, as that of a chat does
 * @returns how many there were, and the namespaces that have changed
 */
export async function eraseRecords(
  client: PoolClient,
  subject: ErasureSubject,
  isReused: boolean,
): Promise<{ readonly count: number; readonly changed: readonly string[] }> {
  const query: AssentPostgres['query'] = async (sql, values = []) =>
    (await client.query<Row>(sql, [...values])).rows
  const { prefixes, isMeant } = meantNamespaces(subject)
  const names: string[] = []
  for (const prefix of prefixes) names.push(...(await namesWithin(query, prefix)).filter(isMeant))
  const stored = names.map(encodeName)
  // Before they are deleted: a write that is under way is over then, and each after it is refused.
  await query(
    `update assent.leases set token = token + 1, owner = null, expires_at = 0
     where namespace = any ($1::text[])`,
    [stored],
  )
  const { rowCount } = await client.query(
    'delete from assent.records where namespace = any ($1::text[])',
    [stored],
  )
  let count = rowCount ?? 0
  const changed = [...names]

  for (const name of names) {
    const conversation = conversationOf(name)
    const goesOn = isReused && conversation?.owner === undefined
    if (subject.user !== undefined || goesOn || !conversation) continue
    // An engine that has it open may store it once more: then lists leave it out, and take it away.
    const removed = removedOf(conversation.owner)
    await query(
      `insert into assent.records (namespace, key, value)
       values ($1, $2, to_json(assent.clock_v1())) on conflict do nothing`,
      [encodeName(removed), encodeName(conversation.id)],
    )
    changed.push(removed)
  }
  for (const everywhere of everywhereNamespaces(subject, names)) {
    const rows = await query(
      'select key, value::text as value from assent.records where namespace = $1',
      [encodeName(everywhere)],
    )
    const given = rows.filter(({ value }) =>
      isGivenIn(subject.conversationId, JSON.parse(String(value))),
    )
    if (given.length === 0) continue
    await query('delete from assent.records where namespace = $1 and key = any ($2::text[])', [
      encodeName(everywhere),
      given.map(({ key }) => key),
    ])
    count += given.length
    changed.push(everywhere)
  }
  return { count, changed }
}
