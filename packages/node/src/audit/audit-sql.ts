import { encodeName } from '@assent/engine/storage'
import type { ErasureSubject } from '../erasing/subject.ts'
import { telegramUser } from '../erasing/telegram-subject.ts'
import type { AuditFilter } from './audit-filter.ts'

/** A condition with a `?` for each of its values. */
export type SqlPart = readonly [sql: string, ...values: (string | number)[]]

/** What a filter asks of entries, but for its text. */
export function entryParts(filter: AuditFilter, kindColumn = 'kind'): SqlPart[] {
  const { status, kind, since, until } = filter
  const parts = nameParts(filter)
  if (kind !== undefined) parts.push([`${kindColumn} = ?`, kind])
  if (status !== undefined) parts.push([`${kindColumn} = 'call' AND phase = ?`, status])
  if (since !== undefined) parts.push(['at >= ?', since])
  if (until !== undefined) parts.push(['at < ?', until])
  return parts
}

/** What a filter asks of calls, but for its text. */
export function callParts(filter: AuditFilter): SqlPart[] {
  const { status, outcome, since, until } = filter
  const parts = nameParts(filter)
  if (status !== undefined) parts.push(['status = ?', status])
  if (outcome !== undefined) parts.push(['outcome = ?', outcome])
  if (since !== undefined) parts.push(['queued_at >= ?', since])
  if (until !== undefined) parts.push(['queued_at < ?', until])
  return parts
}

/** Of whom entries are: of a conversation; or of a user's conversations, and of what the user decided. */
export function subjectPart(subject: ErasureSubject, table = 'audit_entries'): SqlPart {
  const { conversationId, owner: ofOwner, user } = subject
  if (conversationId !== undefined) {
    const id = encodeName(conversationId)
    if (ofOwner === undefined) return [`kind <> 'erasure' AND conversation_id = ?`, id]
    const owned = encodeName(ofOwner)
    // That a call was interrupted is noted without whose it is.
    const calls = `SELECT call_id FROM ${table} WHERE conversation_id = ? AND owner = ? AND call_id IS NOT NULL`
    return [
      `kind <> 'erasure' AND conversation_id = ? AND
        (owner = ? OR owner IS NULL AND call_id IN (${calls}))`,
      id,
      owned,
      id,
      owned,
    ]
  }
  const [who, owner] = [user.toWellFormed(), encodeName(user)]
  const owned = `SELECT conversation_id FROM ${table} WHERE owner = ? AND conversation_id IS NOT NULL`
  // Channels write the name of a user before it.
  const [isWho, whos] =
    telegramUser(subject) === undefined
      ? ['who = ?', [who]]
      : ['(who = ? OR who LIKE ?)', [who, `% (${who})`]]
  return [
    `(${isWho} OR kind <> 'erasure' AND (owner = ? OR conversation_id IN (${owned})))`,
    ...whos,
    owner,
    owner,
  ]
}

/** Only what is older than the entry, or the call, of a `seq`. */
export function beforePart(before: number | undefined): SqlPart[] {
  return before === undefined ? [] : [['seq < ?', before]]
}

function nameParts({ conversationId, taskId, toolName }: AuditFilter): SqlPart[] {
  const parts: SqlPart[] = []
  if (conversationId !== undefined) parts.push(['conversation_id = ?', encodeName(conversationId)])
  if (taskId !== undefined) parts.push(['task_id = ?', encodeName(taskId)])
  if (toolName !== undefined) parts.push(['tool_name = ?', encodeName(toolName)])
  return parts
}

/** All conditions as one, and their values. */
export function whereOf(parts: readonly SqlPart[]): {
  readonly where: string
  readonly values: readonly (string | number)[]
} {
  const sql = parts.map(([part]) => part).join(' AND ')
  return { where: sql && `WHERE ${sql}`, values: parts.flatMap(([, ...values]) => values) }
}

/** A pattern that finds a text anywhere, with `!` in front of its signs. */
export function patternOf(text: string): string {
  return `%${text.replaceAll(/[!%_]/g, (sign) => `!${sign}`)}%`
}

/** A text as it stands within a text of JSON. */
export function withinJson(json: string): string {
  return json.slice(1, -1)
}
