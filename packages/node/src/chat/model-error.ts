import { EngineError, isEngineError } from '@assent/engine'
import type { NamedFile } from '../prompt/named-file.ts'
import { describeModelError } from './error-text.ts'
import { readFailure, type FailureKind, type ModelFailure } from './model-failure.ts'

/** The `details` of an error made by {@link modelError}. */
export interface ModelErrorDetails {
  readonly kind: FailureKind
  /** HTTP status of the provider's answer, if it came to one. */
  readonly status?: number | undefined
  /** How long the provider asks to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined
  /** With `files`: those of the newest message that the model cannot be given. */
  readonly files?: readonly NamedFile[] | undefined
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
  const failure = readFailure(error)
  return new EngineError('stream_error', describeModelError(error), {
    cause: error,
    retryable: failure.isRetryable,
    details: { ...detailsOf(failure) },
  })
}

/** What is said of a failure beside its words. */
export function detailsOf(failure: ModelFailure): ModelErrorDetails {
  const { kind, status, retryAfterMs, files } = failure
  return {
    kind,
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(files && { files }),
  }
}
