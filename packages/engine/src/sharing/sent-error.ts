import { EngineError, type EngineErrorCode } from '../errors.ts'

/** An {@link EngineError} on its way to another tab. What was thrown underneath stays where it was. */
export interface SentError {
  readonly code: EngineErrorCode
  readonly message: string
  readonly retryable: boolean
  readonly details: Readonly<Record<string, unknown>>
}

export function toSentError({ code, message, retryable, details }: EngineError): SentError {
  return { code, message, retryable, details }
}

export function fromSentError({ code, message, retryable, details }: SentError): EngineError {
  return new EngineError(code, message, { retryable, details })
}
