import type { TaskFilter } from '@assent/worker'
import { ANSWERS_COLUMN, TASK_COLUMNS } from './task-rows.ts'

/** The query for a list of tasks, newest first. */
export function taskListing({ states, conversationId, limit = 100, before }: TaskFilter): {
  readonly sql: string
  readonly values: readonly unknown[]
} {
  const values: unknown[] = [Math.max(0, Math.floor(limit))]
  const conditions = ['true']
  const add = (condition: (place: string) => string, value: unknown): void => {
    if (value === undefined) return
    conditions.push(condition(`$${values.push(value)}`))
  }
  add((place) => `t.state = any (${place})`, states)
  add((place) => `t.conversation_id = ${place}`, conversationId)
  add((place) => `t.place < (select place from assent.tasks where id = ${place})`, before)
  return {
    sql: `select ${TASK_COLUMNS}, ${ANSWERS_COLUMN} from assent.tasks t
      where ${conditions.join(' and ')} order by t.place desc limit $1`,
    values,
  }
}
