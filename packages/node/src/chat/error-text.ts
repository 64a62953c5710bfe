import { createRedactor } from '@assent/engine/redaction'
import { UnnotedCallError } from '../audit/unnoted-call.ts'
import { isWrongClock } from './handler-errors.ts'
import { readFailure, type ModelFailure } from './model-failure.ts'

/**
 * What a person is told when a model, or a request to it, failed: never the provider's own words,
 * which may quote a key, an address or a prompt.
 */
export function plainErrorText(error: unknown): string {
  if (error instanceof UnnotedCallError) return error.message
  if (isWrongClock(error)) return WRONG_CLOCK
  const failure = readFailure(error)
  const { kind, status } = failure
  if (kind === 'unreachable') return 'The model cannot be reached. Try again later.'
  if (status !== undefined && kind !== 'cut') {
    return `The model’s provider answered with status ${status}. ${adviceOn(failure, status)}`
  }
  return ownWords(failure) ?? 'The model failed; the log of the server says why.'
}

/**
 * The same with the provider's words in it, secrets masked as far as they can be told: for logs,
 * and for those who run the server themselves.
 */
export function describeModelError(error: unknown): string {
  const failure = readFailure(error)
  const { kind, status, host = 'the endpoint' } = failure
  const message = maskSecrets(failure.message)
  if (kind === 'approval' || kind === 'history' || kind === 'context' || kind === 'server')
    return `${ownWords(failure)} (${message})`
  if (kind === 'unreachable') return `The model at ${host} cannot be reached: ${message}`
  if (kind === 'status') return `The model at ${host} answered with status ${status}: ${message}`
  return ownWords(failure) ?? (message || 'The model failed and did not say why.')
}

const WRONG_CLOCK = 'The server’s clock tells no time, so it stopped here. Try again later.'

function ownWords({ kind, message, isUnfinished }: ModelFailure): string | undefined {
  switch (kind) {
    case 'signature':
      return (
        'The approval was refused, and nothing was run: this server did not ask this question about ' +
        'this input, or it was restarted since it asked. Ask for it again.'
      )
    case 'approval':
      return 'The approval was refused, and nothing was run: it belongs to no call of the conversation.'
    case 'history':
      return 'The conversation holds a tool call without a result, which no model accepts.'
    case 'empty':
      return 'The model ended its answer without a word.'
    case 'cut':
      return isUnfinished
        ? 'The model’s answer was empty or not whole. Try again. If it stays so, something else than the model may answer at its address, such as a proxy or a login page.'
        : 'The connection to the model was cut in the middle of its answer. Try again.'
    case 'timeout':
      return 'The model took too long to answer. Try again.'
    case 'server':
      return 'The server could not read or write its records, so it stopped here. Try again later.'
    case 'context':
      return 'The conversation is too long for the model. Begin a new one, or send a shorter message.'
    // Words of our own, and names of the person's files.
    case 'files':
      return message
    case 'unreachable':
    case 'status':
    case 'provider':
    case 'other':
      return undefined
  }
}

function adviceOn({ retryAfterMs, isRetryable }: ModelFailure, status: number): string {
  if (status === 401 || status === 403) return 'The server’s access to the model must be set right.'
  if (retryAfterMs !== undefined) return `Try again in ${Math.ceil(retryAfterMs / 1000)} s.`
  return isRetryable ? 'Try again later.' : 'The log of the server says why.'
}

const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i

/** Masks what looks like a secret, and the values of environment variables named like one. */
function maskSecrets(text: string): string {
  const knownValues = Object.entries(process.env).flatMap(([name, value]) =>
    SECRET_NAME.test(name) && value ? [value] : [],
  )
  const redact = createRedactor({ knownValues })
  return redact(text, { toolName: '', isPartial: false })
}
