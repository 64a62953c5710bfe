import type { TaskFilter } from './inbox.ts'

/** The query for a list of tasks, newest first. */
export function taskListing({ states, conversationId, limit = 100, before }: TaskFilter): {
  sql: string
  values: (string | number)[]
} {
  const conditions: string[] = []
  const values: (string | number)[] = []
  if (states) {
    conditions.push(`state IN (${states.map(() => '?').join(', ')})`)
    values.push(...states)
  }
  if (conversationId !== undefined) {
    conditions.push('conversation_id = ?')
    values.push(conversationId)
  }
  if (before !== undefined) {
    conditions.push('place < (SELECT place FROM tasks WHERE id = ?)')
    values.push(before)
  }
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
  return {
    sql: `SELECT * FROM tasks ${where} ORDER BY place DESC LIMIT ?`,
    values: [...values, Math.max(0, Math.floor(limit))],
  }
}
