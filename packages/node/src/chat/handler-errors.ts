import { isToolRisk } from '@assent/engine'

/** What a chat handler cannot be made with, or cannot work with. */
export type ChatHandlerErrorCode =
  /** In production there must be an `approvalSecret`. */
  | 'secret_missing'
  /** The `approvalSecret` is too short to be one. */
  | 'secret_short'
  /** Tools run on the server, and nothing says where it remembers which calls have run. */
  | 'ledger_missing'
  /** The ledger could not be read or written; the cause says why. */
  | 'ledger_failed'
  /** A rule or an option names a tool that there is not. */
  | 'unknown_tool'
  /** An option makes no sense. */
  | 'invalid_argument'
  /** The option `now` tells no time: nothing is decided or run by it. */
  | 'wrong_clock'

/** A chat handler that cannot be made, or cannot work, as asked. Its message says what to change. */
export class ChatHandlerError extends Error {
  override readonly name = 'ChatHandlerError'
  readonly code: ChatHandlerErrorCode

  constructor(code: ChatHandlerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Whether a clock told no time. */
export function isWrongClock(error: unknown): boolean {
  return error instanceof ChatHandlerError && error.code === 'wrong_clock'
}

/** @throws ChatHandlerError for a number that is given and not positive */
export function checkNumbers(numbers: Readonly<Record<string, number | undefined>>): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (value === undefined || value > 0) continue
    throw new ChatHandlerError(
      'invalid_argument',
      `${name} must be a positive number, not ${value}.`,
    )
  }
}

/** @throws ChatHandlerError for a risk that nobody knows: it would guard nothing */
export function checkRisks(toolOptions: object): void {
  for (const [toolName, own] of Object.entries(toolOptions)) {
    const risk: unknown = Object(own).risk
    if (risk === undefined || typeof risk === 'function' || isToolRisk(risk)) continue
    throw new ChatHandlerError(
      'invalid_argument',
      `The risk of "${toolName}" is 'read', 'write', 'send' or 'destroy'.`,
    )
  }
}
