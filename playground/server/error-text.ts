import {
  APICallError,
  InvalidToolApprovalError,
  InvalidToolApprovalSignatureError,
  MissingToolResultsError,
  NoOutputGeneratedError,
  RetryError,
  ToolCallNotFoundForApprovalError,
} from 'ai'

/** What a person is told when a model, or a request to it, failed. It names no secret. */
export function errorText(error: unknown): string {
  if (RetryError.isInstance(error)) return errorText(error.lastError)
  if (InvalidToolApprovalSignatureError.isInstance(error)) {
    return (
      'The approval was refused, and nothing was run: this server did not ask this question about ' +
      'this input, or it was restarted since it asked. Ask for it again.'
    )
  }
  if (
    InvalidToolApprovalError.isInstance(error) ||
    ToolCallNotFoundForApprovalError.isInstance(error)
  ) {
    return `The approval was refused, and nothing was run: it belongs to no call of the conversation. (${error.message})`
  }
  if (MissingToolResultsError.isInstance(error)) {
    return `The conversation holds a tool call without a result, which no model accepts. (${error.message})`
  }
  if (APICallError.isInstance(error) && !isCutAnswer(error)) return apiErrorText(error)
  if (NoOutputGeneratedError.isInstance(error)) {
    return 'The model ended its answer without a word.'
  }
  if (isCutConnection(error)) {
    return 'The connection to the model was cut in the middle of its answer. Try again.'
  }
  if (error instanceof Error && error.message) return error.message
  if (typeof error === 'string' && error) return error
  const message = errorMessageOf(error)
  return message ?? 'The model failed and did not say why.'
}

function apiErrorText(error: APICallError): string {
  const host = URL.canParse(error.url) ? new URL(error.url).host : 'the endpoint'
  if (error.statusCode === undefined) {
    return `The model at ${host} cannot be reached: ${error.message}`
  }
  return `The model at ${host} answered with status ${error.statusCode}: ${error.message}`
}

function isCutAnswer({ statusCode, cause }: APICallError): boolean {
  return statusCode !== undefined && statusCode < 400 && isCutConnection(cause)
}

/** Node's fetch says "terminated", with the socket's error as the cause. */
function isCutConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error.message === 'terminated') return true
  const code = 'code' in error ? error.code : undefined
  return code === 'ECONNRESET' || code === 'UND_ERR_SOCKET' || isCutConnection(error.cause)
}

function errorMessageOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('message' in error)) return undefined
  return typeof error.message === 'string' && error.message ? error.message : undefined
}
