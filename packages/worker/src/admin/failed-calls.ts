import type { AuditedCall, AuditLog, CallOutcome } from '@assent/node'
import type { Task } from '../inbox.ts'

/** A call of a task that failed, or of which it is not known what became; or one that was denied. */
export type FailedCall = Pick<AuditedCall, 'toolName' | 'outcome' | 'error'>

/** What a person decided on, and a turn that was ended, is no failure. */
const FAILURES: ReadonlySet<CallOutcome | undefined> = new Set(['error', 'timeout', 'interrupted'])

/** A task that is done, with those of its calls that did not do what they were called for. */
export interface TaskWithFailedCalls extends Task {
  readonly failedCalls?: readonly FailedCall[]
  readonly deniedCalls?: readonly FailedCall[]
}

/**
 * A task that is done, with those of its calls that failed or were denied: the model was told of them and has
 * answered, which ends the task, but not what it was asked for.
 */
export async function withFailedCalls(
  task: Task,
  audit: AuditLog | false,
): Promise<TaskWithFailedCalls> {
  if (!audit || task.state !== 'done') return task
  const calls = (await audit.calls({ taskId: task.id, status: 'failed' })).toReversed()
  const ofOutcome = (isMeant: (outcome: CallOutcome | undefined) => boolean) =>
    calls
      .filter(({ outcome }) => isMeant(outcome))
      .map(({ toolName, outcome, error }) => ({ toolName, outcome, error }))
  const failedCalls = ofOutcome((outcome) => FAILURES.has(outcome))
  const deniedCalls = ofOutcome((outcome) => outcome === 'denied')
  return {
    ...task,
    ...(failedCalls.length > 0 && { failedCalls }),
    ...(deniedCalls.length > 0 && { deniedCalls }),
  }
}
