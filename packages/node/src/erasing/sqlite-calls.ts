import { encodeName } from '../sqlite/names.ts'
import type { AssentDatabase } from '../sqlite/open-database.ts'
import { meantNames, type ErasureSubject } from './subject.ts'

/**
 * Erases what became of calls, in a transaction of the caller. That they were decided stays: no yes is used twice, and none
 * that was not used yet is used any more. Who runs such a call notes nothing of it.
 *
 * @returns how many calls there were
 */
export function eraseCalls({ sqlite }: AssentDatabase, subject: ErasureSubject): number {
  const found = (column: string, isLast: boolean) => {
    const { text, isAtStart } = meantNames(subject, isLast)
    return [`instr(${column}, ?) ${isAtStart ? '= 1' : '> 0'}`, text] as const
  }
  const [ofScope, scope] = found('scope', false)
  const [ofConversation, conversation] = found('conversation', true)
  const { changes } = sqlite
    .prepare(
      `UPDATE approval_ledger
       SET state = CASE state WHEN 'denied' THEN state WHEN 'approved' THEN 'expired'
           WHEN 'expired' THEN state ELSE 'unknown' END,
         holder = NULL, output_json = NULL, error_text = NULL, decided_by = NULL
       WHERE ${ofScope} AND (holder IS NOT NULL OR output_json IS NOT NULL OR error_text IS NOT NULL
         OR decided_by IS NOT NULL OR state NOT IN ('denied', 'expired', 'unknown'))`,
    )
    .run(scope)
  // After this no answer that is under way begins another call.
  sqlite.prepare(`DELETE FROM latest_answer WHERE ${ofConversation}`).run(conversation)
  sqlite.prepare(`DELETE FROM untold_run WHERE ${ofConversation}`).run(conversation)
  if (subject.user !== undefined) {
    sqlite
      .prepare('UPDATE approval_ledger SET decided_by = NULL WHERE decided_by = ?')
      .run(encodeName(subject.user))
  }
  return Number(changes)
}
