import type { EnginePlugin } from '@assent/engine'
import type { AppliedAnswer } from './apply-answers.ts'
import type { Task } from './inbox.ts'

/** Where a task is, in the audit. */
export type TaskPhase = 'ingress' | 'model' | 'tool' | 'reply' | 'done' | 'failed'

/** What a worker writes down about its tasks. */
export interface TaskAudit {
  /** Throws when it cannot be written. */
  phase(task: Task, phase: TaskPhase, message: string): void
  /** What came of an answer to a task. */
  answered(task: Task, applied: AppliedAnswer): void
  /** What follows the calls of a task's engine. */
  plugins(task: Task): readonly EnginePlugin[]
}

/** For a worker that writes nothing down. */
export const NO_AUDIT: TaskAudit = {
  phase: () => undefined,
  answered: () => undefined,
  plugins: () => [],
}
