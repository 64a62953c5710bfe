import type { UIMessage } from 'ai'
import { isDevelopment, warnOnce } from '../../development.ts'
import { EngineError } from '../../errors.ts'
import { toolCallsOf } from '../../message/tool-calls.ts'
import { isElsewhere, isSettled, isWaiting } from '../../message/tool-part.ts'
import type { InternalHooks, NamedPlugin, PluginContext } from '../../plugin.ts'
import type { TurnState } from '../../state.ts'
import {
  factsIn,
  keepFacts,
  type ContinuationFacts,
  type ContinuationReason,
} from './continuation-facts.ts'
import { isSameConversation } from './same-conversation.ts'

/** Options of {@link continuationPlugin}. */
export interface ContinuationOptions {
  /** Continuations allowed per turn, whole, from 0; each is also a step. Default 10. */
  maxContinuations?: number
  /** Continue answers, too, that were cut at their greatest length. Default `false`. */
  length?: boolean
}

/** What was there when the last step of a turn ended; the signal is the turn's. */
const conversations = new WeakMap<AbortSignal, readonly UIMessage[]>()

/**
 * Continues steps that the provider paused while it runs tools of its own (Anthropic's stop reason
 * `pause_turn`): the conversation is sent back as it is, in the same turn, and the answer goes on in
 * the same message. Calls that run here are run first, and those that wait for a person are decided
 * first. Turns that use up their continuations end with the notice `max-continuations`.
 *
 * The reason is `messageMetadata.rawFinishReason` of the response's `finish` chunk. No server of the
 * AI SDK sends it by itself: the route forwards it, by `messageMetadata: finishMetadata` of
 * `toUIMessageStream`. Without it nothing is continued, and a console in development says so.
 *
 * There is one budget for each turn, and it is counted here: requests say so (`continuesPausedTurns` in their
 * bodies), and `createChatHandler` then leaves a paused turn to the page.
 *
 * A conversation that a hook has changed in between is not sent as a continuation: that is reported
 * as `conversation_changed`. Throws `invalid_argument` for options that cannot work.
 */
export function continuationPlugin<MESSAGE extends UIMessage = UIMessage>({
  maxContinuations: max = 10,
  length = false,
}: ContinuationOptions = {}): NamedPlugin<MESSAGE> {
  if (!Number.isInteger(max) || max < 0) {
    throw new EngineError(
      'invalid_argument',
      'maxContinuations is a whole number that is not negative.',
    )
  }

  const plugin: NamedPlugin<MESSAGE> & InternalHooks<MESSAGE> = {
    name: 'continuation',
    onTurnResume(context) {
      const { abortSignal, getState } = context
      // After a reload or for a retry, the conversation as it is found is what is continued.
      if (isDue(context) && !conversations.has(abortSignal)) {
        conversations.set(abortSignal, getState().messages)
      }
    },
    onBeforeRequest({ request }) {
      request.body['continuesPausedTurns'] = true
    },
    onAfterRequest(context) {
      const { turn, abortSignal, messages } = context
      if (isDevelopment && turn) tellMissingReason(turn, messages)
      const known = factsIn(context.customContext)
      const reason = turn && reasonOf(turn, length)
      if (!turn || (!known && !reason)) return
      const { step } = turn
      const count = countBefore(known, step)
      if (!reason) return context.setCustomContext(keepFacts({ count, max }))
      const isContinued = count < max
      if (isContinued) conversations.set(abortSignal, messages)
      context.setCustomContext(
        keepFacts({
          count: isContinued ? count + 1 : count,
          max,
          unfinished: { step, reason, isContinued },
        }),
      )
    },
    onSettle: (context) => (isDue(context) && !hasOwnCalls(context) ? 'next' : undefined),
    mayRequest(context) {
      const facts = factsIn(context.customContext)
      if (!facts?.unfinished || !context.turn) return true
      const { count } = facts
      const { step } = context.turn
      // The unfinished step itself is asked for again: what was to continue it is gone.
      if (step < facts.unfinished.step) {
        context.setCustomContext(keepFacts({ count: countBefore(facts, step), max }))
      }
      if (!isDue(context)) return true
      const before = conversations.get(context.abortSignal)
      if (!before || isSameConversation(before, context.getState().messages)) return true
      context.setCustomContext(keepFacts({ count: count - 1, max }))
      context.reportError(conversationChanged(context, step))
      return false
    },
    onTurnEnd({ turn, customContext, setNotice }) {
      const unfinished = factsIn(customContext)?.unfinished
      // Out of steps, it says so already; an answer that was cut says so by itself.
      const isPaused = unfinished?.reason === 'pause_turn' && !unfinished.isContinued
      if (isPaused && !turn?.notice) setNotice('max-continuations')
    },
  }
  return plugin
}

/** A call that the provider has begun is open at the end of an answer: what else than a pause would that be? */
function tellMissingReason(turn: TurnState, messages: readonly UIMessage[]): void {
  const last = messages.at(-1)
  if (turn.rawFinishReason !== undefined || turn.finishReason !== 'stop' || !last) return
  const isOpen = toolCallsOf(last).some(
    ({ part }) => part.providerExecuted && part.state === 'input-available',
  )
  if (!isOpen) return
  warnOnce(
    'A response ended while its provider still ran a tool, without rawFinishReason: it is not continued. Give toUIMessageStream of your route messageMetadata: finishMetadata of @assent/engine.',
  )
}

/** Why a step is unfinished, by its own `finish`; `undefined` when it is not. */
function reasonOf(
  { finishReason, rawFinishReason }: TurnState,
  isLengthContinued: boolean,
): ContinuationReason | undefined {
  if (rawFinishReason === 'pause_turn') return 'pause_turn'
  return isLengthContinued && finishReason === 'length' ? 'length' : undefined
}

/** Continuations before a step. One that was due after this step, which was made again, never was. */
function countBefore(facts: ContinuationFacts | undefined, step: number): number {
  const { count = 0, unfinished } = facts ?? {}
  return unfinished?.isContinued && unfinished.step >= step ? count - 1 : count
}

/** Whether the last step is to be continued, and was not yet. */
function isDue<MESSAGE extends UIMessage>({ turn }: PluginContext<MESSAGE>): boolean {
  const unfinished = turn && factsIn(turn.customContext)?.unfinished
  return unfinished?.isContinued === true && unfinished.step === turn?.step
}

/**
 * Whether calls are open that are not the provider's to settle. Who settles them asks for the next
 * step; when nobody does, the turn ends.
 */
function hasOwnCalls<MESSAGE extends UIMessage>({ getState }: PluginContext<MESSAGE>): boolean {
  const last = getState().messages.at(-1)
  return (
    last !== undefined &&
    toolCallsOf(last).some(
      ({ part }) => !isSettled(part) && (!isElsewhere(part) || isWaiting(part)),
    )
  )
}

function conversationChanged<MESSAGE extends UIMessage>(
  { getState }: PluginContext<MESSAGE>,
  step: number,
): EngineError {
  return new EngineError(
    'conversation_changed',
    `Step ${step} was not continued: a hook changed the conversation. Let hooks that edit or compact messages wait until continuationProgress() is undefined.`,
    { details: { step, messageId: getState().turn?.assistantMessageId } },
  )
}
