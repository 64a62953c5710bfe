import { isEngineError } from '@assent/engine'

/**
 * Changes a message that waits. It may have been sent a moment before: then there is nothing to do to it
 * any more.
 */
export function changeQueue(change: () => void): void {
  try {
    change()
  } catch (error) {
    if (!isEngineError(error) || error.code !== 'unknown_message') throw error
  }
}
