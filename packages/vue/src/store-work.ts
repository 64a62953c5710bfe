import { isEngineError, type CommandResult } from '@assent/engine'
import { storageFailed } from './observed-storage.ts'

/** What became of work with the store. */
export async function settle<RESULT>(work: Promise<RESULT>): Promise<CommandResult<RESULT>> {
  try {
    return { success: true, result: await work }
  } catch (cause) {
    const isOfCaller =
      isEngineError(cause) &&
      ['unknown_conversation', 'unknown_policy', 'invalid_argument'].includes(cause.code)
    return { success: false, error: isOfCaller ? cause : storageFailed(cause) }
  }
}

/** Runs work that changes a store one after the other, in the order in which it was asked for. */
export function createWorkQueue() {
  let last: Promise<unknown> = Promise.resolve()
  return <RESULT>(task: () => Promise<RESULT>): Promise<CommandResult<RESULT>> => {
    const result = last.then(task)
    last = result.catch(() => undefined)
    return settle(result)
  }
}
