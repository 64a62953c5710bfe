/**
 * Every failure that Assent reports, by a stable name.
 *
 * - `invalid_argument` bad input to a method or command; nothing happened
 * - `busy` the engine is in a state that does not accept this
 * - `disposed` the engine was disposed
 * - `unknown_plugin`, `unknown_command` no such plugin or command is registered
 * - `unknown_conversation` no conversation of this id is stored
 * - `unknown_message`, `unknown_tool_call`, `unknown_tool` nothing has this id or name
 * - `unknown_policy` no such policy was given
 * - `call_changed` the call is not what was shown when this was decided; nothing happened
 * - `not_awaiting_approval` the call is settled, running, or was decided otherwise
 * - `not_awaiting_output` the call is settled or running, so nobody can answer for it any more
 * - `not_running` the call is not running here and about to: nothing is there to cancel
 * - `executed_elsewhere` the call is executed elsewhere; here it can be approved or denied only
 * - `unknown_verdict` a rule answered what is no verdict: a person is asked
 * - `rule_failed` a rule threw: a person is asked
 * - `provider_cannot_wait` a rule would stop a tool that the provider runs itself
 * - `not_editable` the input of this call cannot be edited
 * - `invalid_input` the tool does not accept the edited input
 * - `scope_refused` a `yes_always` cannot cover that much
 * - `batch_refused` one of several decisions was refused, so none was applied
 * - `output_gone` the whole output is not kept any more
 * - `nothing_to_retry` no failed or unanswered turn is there to go on with
 * - `http_status` the server answered with a status other than 2xx
 * - `http_network` the request never reached a response (offline, refused, DNS, CORS)
 * - `response_timeout` no response began in time
 * - `http_body` the response has no body, or not an event stream
 * - `decision_unanswered` an approval was sent and no answer came: its call may have run; a retry sends
 *   the approval again
 * - `decision_refused` the server did not take a decision on a call; nothing was run for it, and the call waits on
 * - `stream_malformed` an event of the stream is not JSON or not a chunk
 * - `stream_cut` the connection ended in the middle of the stream
 * - `stream_timeout` the stream fell silent for too long
 * - `stream_without_finish` the stream ended cleanly but without its `finish` chunk
 * - `stream_invalid` a chunk refers to a part that does not exist
 * - `stream_error` the server sent an `error` chunk; `details` are those of the chunk, if it has any
 * - `stream_aborted` the server sent an `abort` chunk
 * - `stream_interrupted` the model's provider ended without a completion signal
 * - `conversation_changed` a hook changed what an unfinished step must be continued with; the turn
 *   goes on without that
 * - `hook_failed` a plugin's hook threw
 * - `hook_slow` a plugin's hook has not ended, and messages wait for it
 * - `callback_failed` a callback that only observes threw; the turn goes on
 * - `command_failed` a plugin's command threw something that is no `EngineError`
 * - `tool_failed`, `tool_timeout`, `tool_output_invalid` a tool call went wrong
 * - `interrupted` the page or process ended in the middle of a turn; what it knew is in the messages
 * - `storage_failed` what changed could not be stored, or not be read; it is tried again
 * - `storage_malformed` some of what was stored of the conversation is unreadable and left out
 * - `storage_newer` the conversation was stored by a newer version; it is left alone
 * - `sharing_unavailable` other tabs cannot be told of here: two that have the same conversation open
 *   act without knowing of each other
 * - `may_not_decide` the server did not let this user decide; nothing was run, and the call waits on
 * - `fenced` a write of a former holder was refused: somebody else holds the conversation
 * - `taken_over` another page or process goes on with the conversation: what it has stored is shown
 * - `holder_lost` the tab that was to do this ended; whether it did is not known
 * - `illegal_move` a bug in the engine: its table of moves was violated
 * - `removed` what waited to be sent was removed, or aborted, before it was
 */
export type EngineErrorCode =
  | 'invalid_argument'
  | 'busy'
  | 'disposed'
  | 'unknown_plugin'
  | 'unknown_command'
  | 'unknown_conversation'
  | 'unknown_message'
  | 'unknown_tool_call'
  | 'unknown_tool'
  | 'unknown_policy'
  | 'call_changed'
  | 'not_awaiting_approval'
  | 'not_awaiting_output'
  | 'not_running'
  | 'executed_elsewhere'
  | 'unknown_verdict'
  | 'rule_failed'
  | 'provider_cannot_wait'
  | 'not_editable'
  | 'invalid_input'
  | 'scope_refused'
  | 'batch_refused'
  | 'output_gone'
  | 'nothing_to_retry'
  | 'http_status'
  | 'http_network'
  | 'response_timeout'
  | 'http_body'
  | 'decision_unanswered'
  | 'decision_refused'
  | 'stream_malformed'
  | 'stream_cut'
  | 'stream_timeout'
  | 'stream_without_finish'
  | 'stream_invalid'
  | 'stream_error'
  | 'stream_aborted'
  | 'stream_interrupted'
  | 'conversation_changed'
  | 'hook_failed'
  | 'hook_slow'
  | 'callback_failed'
  | 'command_failed'
  | 'tool_failed'
  | 'tool_timeout'
  | 'tool_output_invalid'
  | 'interrupted'
  | 'storage_failed'
  | 'storage_malformed'
  | 'storage_newer'
  | 'sharing_unavailable'
  | 'may_not_decide'
  | 'fenced'
  | 'taken_over'
  | 'holder_lost'
  | 'removed'
  | 'illegal_move'

/** What an {@link EngineError} carries beside its code and message. */
export interface EngineErrorOptions {
  /** What was thrown underneath, unchanged. */
  cause?: unknown
  /** Whether doing the same again can succeed. Default `false`. */
  retryable?: boolean
  /** Facts about the failure, JSON-serialisable (`status`, `toolCallId`, `plugin` …). */
  details?: Readonly<Record<string, unknown>>
}

/** The one error type of Assent. `message` says what to do about it. */
export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly code: EngineErrorCode
  readonly retryable: boolean
  readonly details: Readonly<Record<string, unknown>>

  /**
   * @param message `false` where a production build leaves the words out: those about a mistake in
   *   the app's own code, whose `code` and `details` remain
   */
  constructor(code: EngineErrorCode, message: string | false, options: EngineErrorOptions = {}) {
    super(message || code, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.retryable = options.retryable ?? false
    this.details = options.details ?? {}
  }
}

/** Whether a value is an {@link EngineError}, also one of another copy of this package. */
export function isEngineError(value: unknown): value is EngineError {
  try {
    return value instanceof Error && value.name === 'EngineError' && 'code' in value
  } catch {
    // A proxy may throw at any look at it.
    return false
  }
}

/** The value itself when it is an {@link EngineError}, else one of `code` that has it as cause. */
export function toEngineError(
  value: unknown,
  code: EngineErrorCode,
  context?: string,
  options: Omit<EngineErrorOptions, 'cause'> = {},
): EngineError {
  if (isEngineError(value)) return value
  const text = describeThrown(value)
  return new EngineError(code, context ? `${context}: ${text}` : text, { ...options, cause: value })
}

/** The words of anything that was thrown; never empty. */
export function describeThrown(value: unknown): string {
  try {
    if (value instanceof Error) return String(value.message || value.name)
    if (typeof value === 'string' && value !== '') return value
    return JSON.stringify(value) ?? String(value)
  } catch {
    return describeKind(value)
  }
}

function describeKind(value: unknown): string {
  try {
    return value instanceof Error ? 'Error' : Object.prototype.toString.call(value)
  } catch {
    return 'Error'
  }
}
