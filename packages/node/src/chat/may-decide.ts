import type { ApprovedCall } from './open-calls.ts'

/** A decision that somebody wants to make. */
export interface DecisionAsked<USER = unknown> {
  /** Who decides: what `authorize` answered. */
  readonly user: USER
  /** Of whoever was asked, the `userKey`: often the same user. */
  readonly requester: string
  /** `''` when the request named none. */
  readonly chatId: string
  readonly call: Pick<ApprovedCall, 'toolCallId' | 'toolName' | 'input'>
  /** Whether it is a yes. */
  readonly approved: boolean
}

/** Says who may decide; anything but `true` refuses. */
export type MayDecide<USER = unknown> = (
  asked: DecisionAsked<USER>,
) => boolean | PromiseLike<boolean>

/** Why a decision is not taken. */
export type DecisionRefusal = 'not-allowed' | 'not-checked'

/** Options of {@link decisionRefusal}. */
export interface DecisionCheckOptions {
  /** After so many milliseconds without an answer the decision is refused. */
  readonly timeoutMs: number
  /** Told why there was no answer. */
  readonly onError: (error: unknown) => void
}

/**
 * Asks whether somebody may decide. Without a `true` in time the decision is refused.
 *
 * @returns why it is refused; `undefined` when it is allowed
 */
export async function decisionRefusal(
  ask: () => unknown,
  { timeoutMs, onError }: DecisionCheckOptions,
): Promise<DecisionRefusal | undefined> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    late.reject(new Error(`mayDecide has not answered within ${timeoutMs} ms.`))
  }, timeoutMs)
  // An async function, so that both ways to fail are one.
  const asking = (async () => ask())()
  try {
    return (await Promise.race([asking, late.promise])) === true ? undefined : 'not-allowed'
  } catch (error) {
    onError(error)
    return 'not-checked'
  } finally {
    clearTimeout(timer)
  }
}

/** What a person is told whose decision is not taken. */
export function decisionRefusalText(refusal: DecisionRefusal, toolName: string): string {
  return refusal === 'not-allowed'
    ? `You may not decide about ${toolName}. Nothing was run, and it still waits: ask somebody who may.`
    : `It could not be checked whether you may decide about ${toolName}. Nothing was run, and it still waits: try again.`
}
