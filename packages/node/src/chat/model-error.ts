import { EngineError, isEngineError } from '@assent/engine'
import { describeModelError } from './error-text.ts'
import { readFailure, type FailureKind } from './model-failure.ts'

/** The `details` of an error made by {@link modelError}. */
export interface ModelErrorDetails {
  readonly kind: FailureKind
  /** HTTP status of the provider's answer, if it came to one. */
  readonly status?: number | undefined
  /** How long the provider asks to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined
}

/**
 * What a model failed with, as the engine reports it: an `EngineError` of code `stream_error` whose
 * `retryable` says whether the same request can succeed later (a busy or broken provider, a
 * connection that was cut; not a refused key or prompt), whose `details` are
 * {@link ModelErrorDetails} and whose `cause` is the original error. Its message has no secrets that
 * can be told to be one.
 */
export function modelError(error: unknown): EngineError {
  // It is no failure of the model's: a rule of the app would stop what cannot be stopped.
  if (isEngineError(error)) return error
  const { kind, status, retryAfterMs, isRetryable } = readFailure(error)
  const details: ModelErrorDetails = {
    kind,
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
  return new EngineError('stream_error', describeModelError(error), {
    cause: error,
    retryable: isRetryable,
    details: { ...details },
  })
}
