import { encodeName } from '@assent/engine/storage'
import { meantNames, type ErasureSubject } from '@assent/node/audit'
import type { PoolClient } from 'pg'
import { hashOf } from '../chat/stream-rows.ts'
import type { Row } from '../open-postgres.ts'

/**
 * Erases what became of calls, and the streams of answers. That calls were decided stays: no yes is used twice, and none
 * that was not used yet is used any more. Who runs such a call notes nothing of it.
 *
 * @returns how many calls and streams there were
 */
export async function eraseCalls(client: PoolClient, subject: ErasureSubject): Promise<number> {
  const found = (column: string, isLast: boolean) => {
    const { text, isAtStart } = meantNames(subject, isLast)
    return [`strpos(${column}, $1) ${isAtStart ? '= 1' : '> 0'}`, [text]] as const
  }
  const [ofScope, scope] = found('scope', false)
  const [ofConversation, conversation] = found('conversation', true)
  const calls = await client.query(
    `update assent.approvals
     set state = case state when 'denied' then state when 'approved' then 'expired'
         when 'expired' then state else 'unknown' end,
       holder = null, outcome = null, decided_by = null
     where ${ofScope} and (holder is not null or outcome is not null or decided_by is not null
       or state not in ('denied', 'expired', 'unknown'))`,
    [...scope],
  )
  // After this no answer that is under way begins another call, and what one began before is there to be deleted.
  const answers = await client.query<Row>(
    `delete from assent.latest_answers where ${ofConversation} returning conversation`,
    [...conversation],
  )
  await client.query(`delete from assent.untold_runs where ${ofConversation}`, [...conversation])
  const keys = answers.rows.map((row) => String(row['conversation']))
  const { conversationId, owner = '' } = subject
  if (conversationId !== undefined) keys.push(JSON.stringify([owner, conversationId]))
  const streams = await client.query<Row>(
    'delete from assent.streams where key = any ($1::text[]) returning id',
    [keys.map(hashOf)],
  )
  const ids = streams.rows.map(({ id }) => id)
  await client.query('delete from assent.stream_events where stream_id = any ($1::bigint[])', [ids])
  await client.query('delete from assent.stream_readers where stream_id = any ($1::bigint[])', [
    ids,
  ])
  if (subject.user !== undefined) {
    await client.query('update assent.approvals set decided_by = null where decided_by = $1', [
      encodeName(subject.user),
    ])
  }
  return (calls.rowCount ?? 0) + ids.length
}
