import { errorCode } from '@assent/engine/error-code'
import { DatabaseError } from '@assent/engine/storage'
import {
  APICallError,
  InvalidResponseDataError,
  InvalidToolApprovalError,
  InvalidToolApprovalSignatureError,
  JSONParseError,
  MissingToolResultsError,
  NoOutputGeneratedError,
  RetryError,
  StreamProviderError,
  ToolCallNotFoundForApprovalError,
} from 'ai'
import { UnnotedCallError } from '../audit/unnoted-call.ts'
import { FilesRefusedError } from '../prompt/files-refused.ts'
import type { NamedFile } from '../prompt/named-file.ts'
import { readRefusal } from '../prompt/read-refusal.ts'
import { ChatHandlerError } from './handler-errors.ts'

/**
 * What went wrong on the way to a model's answer:
 * - `signature` the approval was not asked for by this server; `approval` it belongs to no call
 * - `history` the conversation holds a call without a result
 * - `empty` the model said nothing; `cut` the connection broke in the middle; `timeout` it took too long
 * - `files` files of the newest message cannot be given to the model
 * - `context` the conversation does not fit in the model's context
 * - `unreachable` no answer at all; `status` the provider answered with an HTTP status that says no
 * - `server` what this server keeps could not be read or written: the model was fine
 * - `provider` it reported an error in its stream
 * - `other` anything else
 */
export type FailureKind =
  | 'signature'
  | 'approval'
  | 'history'
  | 'empty'
  | 'cut'
  | 'timeout'
  | 'files'
  | 'context'
  | 'unreachable'
  | 'status'
  | 'server'
  | 'provider'
  | 'other'

/** The facts about a failure. None of them is a secret but for `message`, the provider's own words. */
export interface ModelFailure {
  readonly kind: FailureKind
  readonly message: string
  /** Whether the same request can succeed later. */
  readonly isRetryable: boolean
  /** With `cut`: the connection was not, and the answer was none, or not whole. */
  readonly isUnfinished?: boolean | undefined
  /** HTTP status of the provider's answer. */
  readonly status?: number | undefined
  /** The host that was asked. */
  readonly host?: string | undefined
  /** How long the provider asks to wait. */
  readonly retryAfterMs?: number | undefined
  /** Those of the newest message that the model cannot be given. */
  readonly files?: readonly NamedFile[] | undefined
}

/** Codes of the system and of Node's `fetch` for a connection that did not come about. */
const UNREACHABLE =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/
/** And for one that broke. */
const CUT = /^(ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_BODY_TIMEOUT|UND_ERR_HEADERS_TIMEOUT)$/

/** Reads what a model, or the AI SDK on the way to it, threw. */
export function readFailure(error: unknown): ModelFailure {
  if (RetryError.isInstance(error)) return readFailure(error.lastError)
  const message = messageOf(error)
  if (InvalidToolApprovalSignatureError.isInstance(error)) return final('signature', message)
  if (
    InvalidToolApprovalError.isInstance(error) ||
    ToolCallNotFoundForApprovalError.isInstance(error)
  ) {
    return final('approval', message)
  }
  if (error instanceof FilesRefusedError) return { ...final('files', message), files: error.files }
  if (MissingToolResultsError.isInstance(error)) return final('history', message)
  if (NoOutputGeneratedError.isInstance(error)) {
    return { kind: 'empty', message, isRetryable: true }
  }
  if (readRefusal(error)?.type === 'full') return final('context', message)
  if (APICallError.isInstance(error)) return readApiError(error, message)
  if (StreamProviderError.isInstance(error)) {
    return {
      kind: 'provider',
      message,
      isRetryable: error.isRetryable,
      status: error.statusCode,
    }
  }
  if (error instanceof Error && error.name === 'TimeoutError') {
    return { kind: 'timeout', message, isRetryable: true }
  }
  if (isServers(error)) return { kind: 'server', message, isRetryable: true }
  if (isCut(error)) return { kind: 'cut', message, isRetryable: true }
  if (isUnfinished(error)) return { kind: 'cut', message, isRetryable: true, isUnfinished: true }
  if (hasCode(error, UNREACHABLE)) return { kind: 'unreachable', message, isRetryable: true }
  return { kind: 'other', message, isRetryable: saysRetryable(error) }
}

function readApiError(error: APICallError, message: string): ModelFailure {
  const { statusCode: status, isRetryable, responseHeaders } = error
  const host = URL.canParse(error.url) ? new URL(error.url).host : undefined
  if (status === undefined) {
    return { kind: 'unreachable', message, host, isRetryable: true }
  }
  if (status < 400 && isCut(error.cause)) {
    return { kind: 'cut', message, host, status, isRetryable: true }
  }
  const retryAfterMs = retryAfter(responseHeaders ?? {})
  return { kind: 'status', message, host, status, isRetryable, retryAfterMs }
}

function final(kind: FailureKind, message: string): ModelFailure {
  return { kind, message, isRetryable: false }
}

/** The words of what was thrown; `''` when it has none. */
function messageOf(error: unknown): string {
  if (typeof error === 'string') return error
  if (typeof error !== 'object' || error === null || !('message' in error)) return ''
  return typeof error.message === 'string' ? error.message : ''
}

/** Whether a database or the ledger failed, and nothing on the way to the model. */
function isServers(error: unknown): boolean {
  return (
    error instanceof DatabaseError ||
    error instanceof UnnotedCallError ||
    (error instanceof ChatHandlerError &&
      (error.code === 'ledger_failed' || error.code === 'wrong_clock'))
  )
}

/** Node's fetch says "terminated", with the socket's error as the cause. */
function isCut(error: unknown): boolean {
  return (error instanceof Error && error.message === 'terminated') || hasCode(error, CUT)
}

/**
 * A body that ended cleanly before the answer did, as providers of the AI SDK say it, or that has something else in
 * it: half an event, or the page of a proxy.
 */
function isUnfinished(error: unknown): boolean {
  return (
    JSONParseError.isInstance(error) ||
    (InvalidResponseDataError.isInstance(error) && error.data === undefined)
  )
}

function hasCode(error: unknown, codes: RegExp, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 4) return false
  return codes.test(errorCode(error) ?? '') || hasCode(error.cause, codes, depth + 1)
}

/** As the errors of the AI SDK's providers and of its gateway say it. */
function saysRetryable(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'isRetryable' in error &&
    error.isRetryable === true
  )
}

/** `retry-after` in seconds or as a date, `retry-after-ms` as some providers send it. */
function retryAfter(headers: Readonly<Record<string, string>>): number | undefined {
  const fields = new Map(Object.entries(headers).map(([name, text]) => [name.toLowerCase(), text]))
  const ms = Number(fields.get('retry-after-ms') ?? NaN)
  if (Number.isFinite(ms) && ms >= 0) return ms
  const text = fields.get('retry-after')
  if (text === undefined) return undefined
  const seconds = Number(text)
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}
