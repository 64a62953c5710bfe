import type { UIMessage } from 'ai'
import type { ConfirmationRecord } from './confirmation.ts'
import { EngineError } from './errors.ts'
import { restoreMessages, type RestoredMessages } from './message/restore-messages.ts'
import { isWaiting } from './message/tool-part.ts'
import { toolCallsOf } from './message/tool-calls.ts'
import type { Persistence, StoredConversation } from './persistence.ts'
import type { Runner } from './runner.ts'
import type { TurnState } from './state.ts'
import type { TurnHost } from './turn-host.ts'

/** Opens a paused turn for the calls of plain messages that wait for a person, if any do. */
export function adoptWaiting<MESSAGE extends UIMessage>(
  { store, generateId }: TurnHost<MESSAGE>,
  runner: Runner<MESSAGE>,
  { waiting, unsent, pauseReason }: RestoredMessages<MESSAGE>,
  maxSteps: number,
): void {
  const [first] = waiting
  if (!first) return
  const turnId = generateId()
  const { messageId } = first
  store.patch({
    requestState: 'paused',
    turn: {
      id: turnId,
      assistantMessageId: messageId,
      step: 0,
      maxSteps,
      unsent,
      pauseReason,
      customContext: {},
    },
  })
  runner.adopt(turnId)
  runner.lookAgain(true)
}

/** Takes decisions of other conversations over that hold in this one, and lets them settle calls. */
export function learn<MESSAGE extends UIMessage>(
  { store }: TurnHost<MESSAGE>,
  runner: Runner<MESSAGE>,
  records: readonly ConfirmationRecord[],
): void {
  const { confirmations } = store.getState()
  const known = new Set(confirmations.map(({ id }) => id))
  const news = records.filter(({ id }) => !known.has(id))
  if (news.length === 0) return
  store.patch({ confirmations: [...confirmations, ...news] })
  runner.lookAgain(false)
}

/**
 * Goes on from what was kept, or, when nothing was, from what was given. Answers with what is only
 * messages: its calls may wait.
 *
 * A turn that waited for a person waits again. One that was at its calls goes on with them; what the
 * tool plugin finds running there is interrupted. One whose answer was streaming has failed, and can
 * be retried or reconnected. One that had failed has failed, for the same reason.
 */
export async function restoreConversation<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  runner: Runner<MESSAGE>,
  persistence: Persistence<MESSAGE>,
  given: RestoredMessages<MESSAGE>,
  isDisposed: () => boolean,
): Promise<RestoredMessages<MESSAGE> | undefined> {
  const stored = await persistence.restore()
  // Whoever has the conversation now goes on with it: it must not go on here, too.
  if (isDisposed()) return undefined
  const { store } = host
  // Drafts, and what holds everywhere, may be there before the conversation is.
  if (!stored?.turn && !stored?.messages.length && !stored?.queue.length) {
    const state = store.getState()
    if (stored) {
      store.load({ ...state, drafts: stored.drafts })
      learn(host, runner, stored.confirmations)
    }
    for (const id of state.messageIds) persistence.changed(id)
    return given
  }
  const { turn, requestState, queue, confirmations, drafts } = stored
  // A failed one may be gone on with, so that its calls stay as they are.
  const isOpen = turn !== undefined && ['processing', 'paused', 'error'].includes(requestState)
  const from = isOpen ? turnStart(stored, turn) : stored.messages.length
  const plain = restoreMessages(stored.messages.slice(0, from), host.now(), !turn)
  const { messages: before } = plain
  for (const [index, message] of before.entries()) {
    if (message !== stored.messages[index]) persistence.changed(message.id)
  }
  store.load({
    messages: [...before, ...stored.messages.slice(from)],
    confirmations: [...confirmations],
    // What was to follow a turn that ended badly was held already.
    queue: [...queue],
    turn,
    drafts,
  })
  // So that a retry goes on with it.
  if (turn && requestState === 'aborted') store.patch({ requestState })
  if (!turn) return plain
  if (!isOpen) return undefined
  if (requestState === 'error') {
    runner.takeUpFailed(turn.id, stored.error ?? failedBefore(), true)
  } else if (isCut(stored, turn)) {
    const message = 'The conversation was left while the answer came: retry, or reconnect to it.'
    const error = new EngineError('interrupted', message, { retryable: true })
    runner.takeUpFailed(turn.id, error, false)
  } else if (isPaused(stored) && isAnyWaiting(stored, turn)) {
    store.patch({ requestState: 'paused' })
    runner.adopt(turn.id)
    runner.lookAgain(true)
  } else runner.goOn(turn.id)
  return undefined
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
