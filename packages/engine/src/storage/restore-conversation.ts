import type { UIMessage } from 'ai'
import { EngineError } from '../errors.ts'
import { restoreMessages } from '../message/restore-messages.ts'
import { keyOf, toolCallsOf } from '../message/tool-calls.ts'
import { isWaiting } from '../message/tool-part.ts'
import type { RestoredConversation } from '../persistence.ts'
import type { EngineState, TurnState } from '../state.ts'
import type { StoredConversation } from './stored-conversation.ts'

/**
 * What a conversation goes on with: what was kept, or, as long as that is no conversation, what the
 * engine was given.
 *
 * A turn that waited for a person waits again. One that was at its calls goes on with them; what the
 * tool plugin finds running there is interrupted. One whose answer was streaming has failed, and can
 * be retried or reconnected. One that had failed has failed, for the same reason.
 */
export function restoreConversation<MESSAGE extends UIMessage>(
  stored: StoredConversation<MESSAGE>,
  given: Pick<EngineState<MESSAGE>, 'messages' | 'messageIds' | 'queue' | 'confirmations'>,
  now: number,
): RestoredConversation<MESSAGE> {
  const { requestState, queue, messages, confirmations, drafts } = stored
  const turn = stored.turn && asSent(stored.turn)
  // Drafts, and what holds everywhere, may be there before the conversation is.
  if (!turn && messages.length + queue.length === 0) {
    const known = new Set(given.confirmations.map(({ id }) => id))
    const news = confirmations.filter(({ id }) => !known.has(id))
    return {
      ...restoreMessages(given.messages, now),
      turn,
      queue: given.queue,
      confirmations: [...given.confirmations, ...news],
      drafts,
      changed: given.messageIds,
    }
  }
  // A failed one may be gone on with, so that its calls stay as they are.
  const isOpen = turn !== undefined && ['processing', 'paused', 'error'].includes(requestState)
  const from = isOpen ? turnStart(stored, turn) : messages.length
  const before = restoreMessages(messages.slice(0, from), now, !turn)
  return {
    ...before,
    messages: [...before.messages, ...messages.slice(from)],
    turn,
    // What was to follow a turn that ended badly was held already.
    queue,
    confirmations,
    drafts,
    earlier: stored.earlier,
    changed: before.messages
      .filter((message, index) => message !== messages[index])
      .map(({ id }) => id),
    ...(isOpen && standingOf(stored, turn)),
    // So that a retry goes on with it.
    ...(requestState === 'aborted' && { requestState }),
  }
}

/**
 * Answers that were being sent when the conversation was left count as sent: the server may have acted
 * on them, and nobody may take them back.
 */
function asSent(turn: TurnState): TurnState {
  const underWay = new Set(turn.underWay?.map(keyOf))
  const unsent = turn.unsent.filter((call) => !underWay.has(keyOf(call)))
  return unsent.length === turn.unsent.length ? turn : { ...turn, unsent }
}

/** How an open turn goes on. */
function standingOf(
  stored: StoredConversation,
  turn: TurnState,
): Pick<RestoredConversation, 'requestState' | 'isStepDue' | 'error' | 'isErrorKnown'> {
  const { requestState, error } = stored
  if (requestState === 'error') return { error: error ?? failedBefore(), isErrorKnown: true }
  if (isCut(stored, turn)) {
    const message = 'The conversation was left while the answer came: retry, or reconnect to it.'
    return { error: new EngineError('interrupted', message, { retryable: true }) }
  }
  if (isPaused(stored) && isAnyWaiting(stored, turn)) return { requestState: 'paused' }
  // It was decided that a request is to be made; nothing else that is stored need say so.
  return { requestState: 'processing', isStepDue: stored.processingState === 'requesting' }
}

function failedBefore(): EngineError {
  return new EngineError('interrupted', 'The last turn failed.', { retryable: true })
}

/** Where the messages of the open turn begin. */
function turnStart(
  { messages }: StoredConversation,
  { userMessageId, assistantMessageId }: TurnState,
): number {
  const opening = userMessageId ?? assistantMessageId
  const index = messages.findLastIndex(({ id }) => id === opening)
  return index === -1 ? messages.length : index
}

/** Whether a request was made whose answer had not ended. */
function isCut({ requestState, processingState }: StoredConversation, turn: TurnState): boolean {
  if (requestState !== 'processing' || turn.lastStep?.isEnded) return false
  const isSent = turn.lastStep === undefined || turn.lastStep.step <= turn.step
  return (
    processingState === 'completing' ||
    (processingState === 'requesting' && isSent && turn.step > 0)
  )
}

/** A pause is stored before it is shown. */
function isPaused({ requestState, processingState }: StoredConversation): boolean {
  return requestState === 'paused' || processingState === 'pausing'
}

/** Whether a paused turn still has what it waits for; of other reasons than calls nobody knows. */
function isAnyWaiting(stored: StoredConversation, turn: TurnState): boolean {
  // It was told to go on in the very moment of its pause.
  if (!turn.pauseReason) return false
  const { type } = turn.pauseReason
  if (type !== 'approval' && type !== 'output') return true
  const messages = stored.messages.slice(turnStart(stored, turn))
  return messages.some((message) => toolCallsOf(message).some(({ part }) => isWaiting(part)))
}
