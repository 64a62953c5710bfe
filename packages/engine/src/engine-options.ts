import type { UIMessage } from 'ai'
import { isDevelopment } from './development.ts'
import { EngineError } from './errors.ts'
import type { MessageEngineOptions } from './message-engine.ts'

/** Throws `invalid_argument` for options that cannot work. */
export function assertOptions<MESSAGE extends UIMessage>({
  id,
  transport,
  storage,
  maxSteps = 25,
  responseTimeoutMs = Infinity,
  silenceTimeoutMs = Infinity,
}: MessageEngineOptions<MESSAGE>): void {
  if (storage && !id) {
    throw new EngineError(
      'invalid_argument',
      isDevelopment && 'A conversation that is stored needs an id.',
    )
  }
  if (storage && typeof storage.open !== 'function') {
    const text =
      isDevelopment &&
      'The option storage takes what defineStorage() makes of a store: storage: defineStorage(indexedDBStorage()).'
    throw new EngineError('invalid_argument', text)
  }
  if (typeof transport?.sendMessages !== 'function') {
    throw new EngineError(
      'invalid_argument',
      isDevelopment && 'An engine needs a transport, such as httpTransport().',
    )
  }
  if (!Number.isInteger(maxSteps) || maxSteps < 1) {
    throw new EngineError(
      'invalid_argument',
      isDevelopment && 'maxSteps is a whole number of at least 1.',
    )
  }
  if (!(responseTimeoutMs > 0 && silenceTimeoutMs > 0)) {
    const text =
      isDevelopment &&
      'responseTimeoutMs and silenceTimeoutMs are more than 0; Infinity is no limit.'
    throw new EngineError('invalid_argument', text)
  }
}
