import { EngineError } from './errors.ts'
import type { EngineState } from './state.ts'

/** Throws `storage_failed` while messages of the conversation were not read. */
export function assertWhole({ earlier }: Pick<EngineState, 'earlier'>): void {
  if (!earlier) return
  const text = 'The earlier messages were not read, so nothing was done. Try again.'
  throw new EngineError('storage_failed', text, { retryable: true })
}
