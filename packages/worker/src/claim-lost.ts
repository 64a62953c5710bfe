import { WorkerError } from './worker-error.ts'

/** A change was refused, as there is a later claim on the task: whoever has it now goes on. */
export function claimLost(taskId: string): WorkerError {
  return new WorkerError(
    'claim_lost',
    `Another worker has task ${taskId} now; nothing was changed.`,
  )
}

export function isClaimLost(error: unknown): boolean {
  return error instanceof WorkerError && error.code === 'claim_lost'
}
