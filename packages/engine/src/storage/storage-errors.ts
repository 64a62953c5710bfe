import { describeThrown, EngineError } from '../errors.ts'

/** The store did not do what it was asked for. */
export function storageFailed(what: string, cause: unknown): EngineError {
  const text = `The conversation could not be ${what}: ${describeThrown(cause)}`
  return new EngineError('storage_failed', text, { cause, retryable: true })
}

/** Records were left out. */
export function unreadable(keys: readonly string[]): EngineError {
  const text = `Parts of what was stored of this conversation cannot be read; all else is there: ${keys.join(', ')}`
  return new EngineError('storage_malformed', text, { details: { keys } })
}

/** A store whose claims decide in one process only is used where several may be. */
export function oneProcessOnly(): EngineError {
  const text =
    'This store cannot keep two processes or pages from starting the same tool call: let only one use it.'
  return new EngineError('sharing_unavailable', text)
}
