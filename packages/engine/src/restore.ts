import type { UIMessage } from 'ai'
import type { ConfirmationRecord } from './confirmation.ts'
import type { RestoredMessages } from './message/restore-messages.ts'
import type { RestoredConversation } from './persistence.ts'
import { holdAll } from './queue.ts'
import type { Runner } from './runner.ts'
import type { EngineState, QueuedMessage, TurnState } from './state.ts'
import type { TurnHost } from './turn-host.ts'

/** Opens a paused turn for the calls of plain messages that wait for a person, if any do. */
export function adoptWaiting<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  runner: Runner<MESSAGE>,
  { waiting: [first], unsent, pauseReason }: RestoredMessages<MESSAGE>,
  maxSteps: number,
): void {
  if (!first) return
  waitAgain(host, runner, {
    id: host.generateId(),
    assistantMessageId: first.messageId,
    step: 0,
    maxSteps,
    unsent,
    pauseReason,
    customContext: {},
  })
}

/** Takes over what was kept, and goes on with its turn. */
export function takeUp<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  runner: Runner<MESSAGE>,
  restored: RestoredConversation<MESSAGE>,
): void {
  const { messages, confirmations, queue, turn, drafts, earlier, requestState, error } = restored
  host.store.load({ messages, confirmations, queue, turn, drafts, earlier })
  if (!turn) return
  const isKnown = restored.isErrorKnown ?? false
  const isOpen = requestState === 'processing' || (error !== undefined && !isKnown)
  if (isOpen && isSent(host, { messages, turn })) runner.sendAgain(turn)
  else if (error) {
    const told = isKnown ? undefined : host.delivery?.toUnanswered({ messages, turn }, error)
    runner.takeUpFailed(turn.id, told ?? error, isKnown)
  } else if (requestState === 'paused') waitAgain(host, runner, turn)
  else if (requestState === 'processing') runner.goOn(turn.id, restored.isStepDue)
  else if (requestState) host.store.patch({ requestState })
}

/** Whether decisions were sent that a ledger has not answered. */
function isSent<MESSAGE extends UIMessage>(
  { delivery }: TurnHost<MESSAGE>,
  facts: Pick<RestoredConversation<MESSAGE>, 'messages' | 'turn'>,
): boolean {
  return !!delivery?.sent(facts).length && delivery.toRepeat(facts).length > 0
}

/** What a person has sent here, and nobody else may have: the message of the open turn, and those queued. */
export function sentHere<MESSAGE extends UIMessage>({
  turn,
  messages,
  queue,
}: EngineState<MESSAGE>): readonly QueuedMessage<MESSAGE>[] {
  const message = messages.find(({ id }) => id === turn?.userMessageId)
  // What has an answer was stored before that was asked for.
  if (!message || turn?.assistantMessageId !== undefined) return queue
  const { request } = turn ?? {}
  return [{ id: message.id, message, held: true, ...(request && { request }) }, ...queue]
}

/**
 * Shows what somebody else has stored. What waits for a person waits here as well; any other turn is
 * theirs. What was sent here and is not there is held in the queue, and answered.
 */
export function showTaken<MESSAGE extends UIMessage>(
  { store }: TurnHost<MESSAGE>,
  runner: Runner<MESSAGE>,
  restored: RestoredConversation<MESSAGE>,
  sent: readonly QueuedMessage<MESSAGE>[] = [],
): readonly QueuedMessage<MESSAGE>[] {
  const { messages, confirmations, queue, drafts, turn, requestState } = restored
  const known = new Set([...messages, ...queue.map(({ message }) => message)].map(({ id }) => id))
  const lost = holdAll(sent.filter(({ message }) => !known.has(message.id)))
  const isWaiting = turn !== undefined && requestState === 'paused'
  store.batch(() => {
    const held = [...(isWaiting ? queue : holdAll(queue)), ...lost]
    store.load({
      messages,
      confirmations,
      queue: held,
      drafts,
      turn: undefined,
      earlier: undefined,
    })
    if (!isWaiting) return
    store.patch({ requestState: 'idle', error: undefined })
    waitAgain({ store }, runner, turn)
  })
  return lost
}

function waitAgain<MESSAGE extends UIMessage>(
  { store }: Pick<TurnHost<MESSAGE>, 'store'>,
  runner: Runner<MESSAGE>,
  turn: TurnState,
): void {
  store.patch({ requestState: 'paused', turn })
  runner.adopt(turn.id)
  runner.lookAgain(true)
}

/** Takes decisions of other conversations over that hold in this one, and lets them settle calls. */
export function learn<MESSAGE extends UIMessage>(
  { store }: TurnHost<MESSAGE>,
  runner: Runner<MESSAGE>,
  news: readonly ConfirmationRecord[],
): void {
  store.patch({ confirmations: [...store.getState().confirmations, ...news] })
  runner.lookAgain(false)
}
