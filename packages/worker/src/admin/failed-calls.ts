import type { AuditedCall, AuditLog, CallOutcome } from '@assent/node'
import type { Task } from '../inbox.ts'

/** A call of a task that failed, or of which it is not known what became. */
export type FailedCall = Pick<AuditedCall, 'toolName' | 'outcome' | 'error'>

/** What a person decided on, and a turn that was ended, is no failure. */
const FAILURES: ReadonlySet<CallOutcome | undefined> = new Set(['error', 'timeout', 'interrupted'])

/**
 * A task that is done, with those of its calls that failed: the model was told of them and has answered,
 * which ends the task, but not what it was asked for.
 */
export async function withFailedCalls(
  task: Task,
  audit: AuditLog | false,
): Promise<Task & { readonly failedCalls?: readonly FailedCall[] }> {
  if (!audit || task.state !== 'done') return task
  const failedCalls = (await audit.calls({ taskId: task.id, status: 'failed' }))
    .filter(({ outcome }) => FAILURES.has(outcome))
    .map(({ toolName, outcome, error }) => ({ toolName, outcome, error }))
  return failedCalls.length === 0 ? task : { ...task, failedCalls: failedCalls.toReversed() }
}
