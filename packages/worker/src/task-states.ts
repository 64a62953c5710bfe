import type { TaskState } from './inbox.ts'

/** All states of tasks, in the order in which a task comes to them. */
export const TASK_STATES: readonly TaskState[] = [
  'queued',
  'in_progress',
  'model_round',
  'tool_round',
  'parked',
  'reply_sent',
  'done',
  'dead',
  'failed',
]
