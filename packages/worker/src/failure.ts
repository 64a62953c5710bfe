import { type EngineError, type EngineErrorCode, isEngineError } from '@assent/engine'
import { errorCode } from '@assent/engine/error-code'
import { createRedactor } from '@assent/engine/redaction'
import { DatabaseError, type DatabaseErrorCode } from '@assent/engine/storage'
import type { TaskError } from './inbox.ts'
import { ReplyError } from './reply-error.ts'
import { WorkerError } from './worker-error.ts'

/** Why an attempt at a task failed, and whether another one can succeed. */
export interface Failure extends TaskError {
  readonly isTransient: boolean
  /** What was away, where that is why: whatever the task is, it is none of its doing. */
  readonly outage?: Outage | undefined
  /** How long whoever refused asked to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined
}

/**
 * What can be away for a while:
 * - `model` the model was not reached, or its provider is down
 * - `answer` an answer began and broke off
 * - `storage` a database failed, for any reason but what it was asked for
 */
export type Outage = 'model' | 'answer' | 'storage'

const redact = createRedactor()

/** The longest that a message is kept. */
const LONGEST = 2_000

/** Failures of a turn of which the same again can succeed, whatever the error says of itself. */
const TRANSIENT_CODES: ReadonlySet<EngineErrorCode> = new Set([
  'http_network',
  'stream_cut',
  'stream_without_finish',
  'stream_interrupted',
  'interrupted',
  'storage_failed',
])

/**
 * Failures of a model that a person is told of in other words than any other:
 * - `files_refused` the model cannot be given a file of the message
 * - `model_unreachable` there is no answer at all, or its provider is down
 * - `context_full` the conversation does not fit in the model's context
 */
const MODEL_CODES: ReadonlyMap<unknown, string> = new Map([
  ['files', 'files_refused'],
  ['context', 'context_full'],
])

/** Answers that broke off, whichever way the connection ended. */
const CUT_CODES: ReadonlySet<EngineErrorCode> = new Set(['stream_cut', 'stream_without_finish'])

/** What a PostgreSQL says of itself, not of what it was asked: connection, transactions, resources, objects in use, operators, system. */
const PASSING_STATE = /^(08|40|53|55|57|58|XX)[0-9A-Z]{3}$/

/** What a database refuses while it works, or is no more. */
const NOT_AWAY: ReadonlySet<DatabaseErrorCode> = new Set(['invalid_argument', 'database_closed'])

/** Codes of the system, and of Node's `fetch`, for a network that fails. */
const NETWORK =
  /^(E(CONN(REFUSED|RESET|ABORTED)|HOSTUNREACH|NETUNREACH|PIPE|TIMEDOUT)|ENOTFOUND|EAI_AGAIN|UND_ERR_\w+)$/

/** Statuses that say "not now" rather than "not so". */
const RETRYABLE_STATUS: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504, 529])

/** Those that say so of the server, whatever it was asked: it is down, or takes no more for now. */
const DOWN_STATUS: ReadonlySet<number> = new Set([429, 502, 503, 504, 529])

/**
 * What is to be made of anything that ended an attempt. Transient is what says so of itself (an
 * `EngineError`'s `retryable`, the AI SDK's `isRetryable`), a busy or broken server (429, 5xx), a
 * network that fails, a time that ran out and a database that does not work; anything else fails again, and is
 * permanent. What is beneath an error counts as well.
 */
export function failureOf(error: unknown): Failure {
  if (isEngineError(error)) {
    const { code, message, retryable, details, cause } = error
    const beneath = cause === undefined ? undefined : failureOf(cause)
    const status = details['status']
    const retryAfterMs = details['retryAfterMs']
    const outage = outageOf(error) ?? beneath?.outage
    return {
      code: outage === 'model' ? 'model_unreachable' : (MODEL_CODES.get(details['kind']) ?? code),
      outage,
      message: bounded(message),
      // An approval is sent again by a person only: its call may have run.
      isTransient:
        code !== 'decision_unanswered' &&
        (retryable ||
          TRANSIENT_CODES.has(code) ||
          (typeof status === 'number' && RETRYABLE_STATUS.has(status)) ||
          (beneath?.isTransient ?? false)),
      retryAfterMs: typeof retryAfterMs === 'number' ? retryAfterMs : beneath?.retryAfterMs,
    }
  }
  if (error instanceof ReplyError) {
    const { retryable, retryAfterMs, message } = error
    return { code: 'reply_failed', message: bounded(message), isTransient: retryable, retryAfterMs }
  }
  if (error instanceof WorkerError) {
    const { code, message } = error
    return { code, message: bounded(message), isTransient: code === 'not_answered' }
  }
  if (error instanceof DatabaseError) {
    const { code, message } = error
    return {
      code,
      message: bounded(message),
      isTransient: code !== 'invalid_argument',
      outage: isOfDatabase(error) ? 'storage' : undefined,
    }
  }
  const code = errorCode(error)
  const outage = isOfDatabase(error) ? 'storage' : undefined
  return {
    code: code ?? 'failed',
    message: bounded(wordsOf(error)),
    isTransient: outage !== undefined || isPassing(error),
    ...(outage && { outage }),
  }
}

function outageOf({ code, details, cause }: EngineError): Outage | undefined {
  if (code === 'http_network' || details['kind'] === 'unreachable' || isDown(details))
    return 'model'
  if (CUT_CODES.has(code) || details['kind'] === 'cut') return 'answer'
  // What a store refuses for what is in it, it refuses again.
  return code === 'storage_failed' && cause === undefined ? 'storage' : undefined
}

/** Whether it, or what is beneath it, is a failure of a database that passes. */
function isOfDatabase(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 4) return false
  // One that was closed here is not to come back.
  if (error instanceof DatabaseError) return !NOT_AWAY.has(error.code)
  const code = errorCode(error) ?? ''
  if (PASSING_STATE.test(code) && !NETWORK.test(code)) return true
  return 'cause' in error && isOfDatabase(error.cause, depth + 1)
}

/** Whether a provider, or what stands before it, says that it is down or takes no more. */
function isDown({ kind, status }: EngineError['details']): boolean {
  return kind === 'status' && typeof status === 'number' && DOWN_STATUS.has(status)
}

/** Whether an error of no known type, or what is beneath it, is one that passes. */
function isPassing(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 4) return false
  if ('isRetryable' in error && typeof error.isRetryable === 'boolean') return error.isRetryable
  for (const field of ['status', 'statusCode'] as const) {
    const status: unknown = Reflect.get(error, field)
    if (typeof status === 'number') return RETRYABLE_STATUS.has(status) || status >= 500
  }
  if ('name' in error && error.name === 'TimeoutError') return true
  if (NETWORK.test(errorCode(error) ?? '')) return true
  return 'cause' in error && isPassing(error.cause, depth + 1)
}

function wordsOf(error: unknown): string {
  if (error instanceof Error) return error.message || error.name
  return typeof error === 'string' && error !== '' ? error : 'It failed without saying why.'
}

/** Without secrets, as everybody who looks at the task may read it. */
function bounded(message: string): string {
  const masked = redact(message, { toolName: '', isPartial: false })
  return masked.length > LONGEST ? `${masked.slice(0, LONGEST)} …` : masked
}
