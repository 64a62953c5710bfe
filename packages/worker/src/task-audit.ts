import type { ConfirmationRecord, EngineStorage } from '@assent/engine'
import { type AuditLog, auditStorage, type TaskPhase } from '@assent/node'
import type { AppliedAnswer, Deciders } from './apply-answers.ts'
import type { Claim, Task } from './inbox.ts'
import { auditedRanCalls, type RanCall } from './ran-calls.ts'

/** What a worker writes down about its tasks. Each rejects when it cannot. */
export interface TaskAudit {
  /** That a task came in, or was taken up again. */
  begun(task: Task, claim: Pick<Claim, 'epoch' | 'isTakenOver' | 'isSuspect'>): Promise<void>
  phase(task: Task, phase: TaskPhase, message: string): Promise<void>
  /**
   * What became of the reply, and that the task is done.
   *
   * @param mayBeSaid an attempt that ended right after this may have said so
   */
  over(
    task: Task,
    said: { readonly reply?: string; readonly done: string },
    mayBeSaid: boolean,
  ): Promise<void>
  /** That an answer to a task was not followed, if it was not. */
  answered(task: Task, applied: AppliedAnswer): Promise<void>
  /** The calls of a task that ran, or may have, as far as it was written down. */
  ran(task: Task): Promise<RanCall[]>
  /** A store in front of another one, which also writes down what becomes of the calls of a task. */
  storage(task: Task, storage: EngineStorage, who: Deciders): EngineStorage
}

/** @param audit `undefined`: nothing is written down */
export function taskAudit(audit: AuditLog | undefined): TaskAudit {
  async function phase(task: Task, name: TaskPhase, message: string): Promise<void> {
    const { id: taskId, conversationId } = task
    await audit?.recordTask({ taskId, conversationId, phase: name, message })
  }

  /** The phases that were written down, the last one first. */
  async function phases({ id: taskId }: Task, limit: number): Promise<readonly unknown[]> {
    const entries = (await audit?.query({ taskId, kind: 'task', limit })) ?? []
    return entries.map(({ payload }) => payload['phase'])
  }

  return {
    phase,
    async begun(task, { epoch, isTakenOver, isSuspect }) {
      // Not by the number of attempts: a crash may have ended the first one before it was written.
      if (epoch === 1 || (await phases(task, 1)).length === 0) {
        await phase(task, 'ingress', `It came in at ${new Date(task.createdAt).toISOString()}.`)
      }
      const alone = isSuspect ? ' It runs alone.' : ''
      if (isTakenOver) {
        await phase(task, 'ingress', `It was taken over: its worker gave no sign of life.${alone}`)
      }
    },
    async over(task, { reply, done }, mayBeSaid) {
      const said = mayBeSaid ? await phases(task, 100) : []
      const isReplySaid = reply === undefined || said.includes('reply')
      // They are written together, in this order.
      await Promise.all([
        isReplySaid ? undefined : phase(task, 'reply', reply),
        said[0] === 'done' ? undefined : phase(task, 'done', done),
      ])
    },
    async answered(task, { by, refused }) {
      if (!refused) return
      const who = by === undefined ? '' : ` by ${by}`
      const why = `An answer${who} was not followed (${refused.code}): ${refused.message}`
      await phase(task, 'tool', why)
    },
    async ran({ id: taskId }) {
      return auditedRanCalls(((await audit?.calls({ taskId })) ?? []).toReversed())
    },
    storage(task, storage, who) {
      if (!audit) return storage
      return auditStorage(storage, audit, {
        taskId: task.id,
        // Whoever takes a permission back need not be who gave it: that is another record of the same call.
        who: (record) => who.get(revokedIn(record) ?? record.toolCallId),
      })
    },
  }
}

/** Which permission a record takes back. */
function revokedIn(record: ConfirmationRecord): string | undefined {
  return 'revokes' in record ? record.revokes : undefined
}
