import { conversationOf, removedOf } from '@assent/engine/storage'
import { decodeName, encodeName, endOfNames } from '../sqlite/names.ts'
import { namespaceWatch } from '../sqlite/namespace-watch.ts'
import type { AssentDatabase } from '../sqlite/open-database.ts'
import { recordsTable } from '../sqlite/records.ts'
import { everywhereNamespaces, isGivenIn, meantNamespaces } from './meant-namespaces.ts'
import type { ErasureSubject } from './subject.ts'

/** The namespaces that have records, or had a holder, and begin with a prefix. */
export function namesWithin({ sqlite }: AssentDatabase, prefix: string): string[] {
  // From one name to the next, past all that is kept under each.
  const rows = sqlite
    .prepare(
      `WITH RECURSIVE found (name) AS (
         SELECT min(namespace) FROM conversation_records WHERE namespace >= :from AND namespace < :end
         UNION ALL
         SELECT (SELECT min(namespace) FROM conversation_records
           WHERE namespace > found.name AND namespace < :end)
         FROM found WHERE found.name IS NOT NULL
       )
       SELECT name FROM found WHERE name IS NOT NULL
       UNION SELECT namespace FROM conversation_leases WHERE namespace >= :from AND namespace < :end`,
    )
    .all({ from: encodeName(prefix), end: endOfNames(prefix) })
  return rows.map(({ name }) => decodeName(String(name)))
}

/**
 * Erases the records of a subject, in a transaction of the caller. Who holds such a conversation has lost it: what is
 * still written for that token is refused.
 *
 * @param isReused whether the conversation of nobody goes on, as that of a chat does
 * @returns how many there were, and how to tell of it once it is done
 */
export function eraseRecords(
  database: AssentDatabase,
  subject: ErasureSubject,
  { at, isReused }: { readonly at: number; readonly isReused: boolean },
): { readonly count: number; readonly tell: () => void } {
  const { sqlite } = database
  const records = recordsTable(database)
  const watch = namespaceWatch(database)
  const { prefixes, isMeant } = meantNamespaces(subject)
  const names = prefixes.flatMap((prefix) => namesWithin(database, prefix)).filter(isMeant)
  const takeOver = sqlite.prepare(
    'UPDATE conversation_leases SET owner = NULL, epoch = epoch + 1, expires_at = 0 WHERE namespace = ?',
  )
  const changed = [...names]
  let count = 0

  function change(namespace: string, put: readonly (readonly [string, string])[], gone: string[]) {
    records.change(namespace, {
      put: new Map(put.map(([key, value]) => [encodeName(key), value])),
      remove: gone.map(encodeName),
    })
    changed.push(namespace)
  }

  for (const name of names) {
    count += records.count(name)
    records.clear(name)
    takeOver.run(encodeName(name))
    const conversation = conversationOf(name)
    const goesOn = isReused && conversation?.owner === undefined
    if (subject.user !== undefined || goesOn || !conversation) continue
    // An engine that has it open may store it once more: then lists leave it out, and take it away.
    change(removedOf(conversation.owner), [[conversation.id, String(at)]], [])
  }
  for (const everywhere of everywhereNamespaces(subject, names)) {
    const given = [...records.read(everywhere)].filter(([, record]) =>
      isGivenIn(subject.conversationId, record),
    )
    if (given.length === 0) continue
    count += given.length
    change(
      everywhere,
      [],
      given.map(([id]) => id),
    )
  }
  return {
    count,
    tell: () => {
      for (const name of changed) watch.changed(name)
    },
  }
}
