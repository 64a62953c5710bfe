import type { EngineStorage } from '@assent/engine'
import { type AuditLog, auditStorage, type TaskPhase } from '@assent/node'
import type { AppliedAnswer, Deciders } from './apply-answers.ts'
import type { Claim, Task } from './inbox.ts'

/** What a worker writes down about its tasks. Each throws when it cannot. */
export interface TaskAudit {
  /** That a task came in, or was taken up again. */
  begun(task: Task, claim: Pick<Claim, 'isTakenOver' | 'isSuspect'>): void
  phase(task: Task, phase: TaskPhase, message: string): void
  /** That a task is done; an attempt that a crash ended right after this may have said so. */
  done(task: Task, message: string): void
  /** That an answer to a task was not followed, if it was not. */
  answered(task: Task, applied: AppliedAnswer): void
  /** A store in front of another one, which also writes down what becomes of the calls of a task. */
  storage(task: Task, storage: EngineStorage, who: Deciders): EngineStorage
}

/** @param audit `undefined`: nothing is written down */
export function taskAudit(audit: AuditLog | undefined): TaskAudit {
  function phase(task: Task, name: TaskPhase, message: string): void {
    const { id: taskId, conversationId } = task
    audit?.recordTask({ taskId, conversationId, phase: name, message })
  }

  /** The phase that was written down last. */
  function last({ id: taskId }: Task): unknown {
    return audit?.query({ taskId, kind: 'task', limit: 1 })[0]?.payload['phase']
  }

  return {
    phase,
    begun(task, { isTakenOver, isSuspect }) {
      // Not by the number of attempts: a crash may have ended the first one before it was written.
      if (last(task) === undefined) {
        phase(task, 'ingress', `It came in at ${new Date(task.createdAt).toISOString()}.`)
      }
      const alone = isSuspect ? ' It runs alone.' : ''
      if (isTakenOver) {
        phase(task, 'ingress', `It was taken over: its worker gave no sign of life.${alone}`)
      }
    },
    done(task, message) {
      if (last(task) !== 'done') phase(task, 'done', message)
    },
    answered(task, { by, refused }) {
      if (!refused) return
      const who = by === undefined ? '' : ` by ${by}`
      phase(task, 'tool', `An answer${who} was not followed (${refused.code}): ${refused.message}`)
    },
    storage(task, storage, who) {
      if (!audit) return storage
      return auditStorage(storage, audit, {
        taskId: task.id,
        who: ({ toolCallId }) => who.get(toolCallId),
      })
    },
  }
}
