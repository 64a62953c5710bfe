import type { UIMessage } from 'ai'
import { isEqualJson } from './message/json-equality.ts'
import { assertMessageIds, restoreMessages } from './message/restore-messages.ts'
import { adoptWaiting } from './restore.ts'
import type { Runner } from './runner.ts'
import type { TurnHost } from './turn-host.ts'

/**
 * Puts other messages in the place of all, as if the conversation began with them: a call that waits in
 * the last one opens a paused turn. As long as everything is still there, at the end, that the last
 * turn has written, the conversation stands as it did; else nothing has been asked in it. Decisions,
 * drafts and the queue stay. Answers with the ids of messages that came, went or changed. Throws
 * `invalid_argument`.
 */
export function setMessages<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  runner: Runner<MESSAGE>,
  given: readonly MESSAGE[],
  maxSteps: number,
): readonly string[] {
  const { store } = host
  const { turn, queue, confirmations, drafts, messages: before } = store.getState()
  assertMessageIds(
    given,
    queue.map(({ id }) => id),
  )
  // What is equal stays the very object: whoever shows or stores it has nothing to do.
  const wanted = given.map((message) => {
    const known = store.getMessage(message.id)
    return known && isEqualJson(known, message) ? known : message
  })
  const opening = turn?.userMessageId ?? turn?.assistantMessageId
  const from = before.findLastIndex(({ id }) => id === opening)
  const ofTurn = from === -1 ? [] : before.slice(from)
  const rest = wanted.length - ofTurn.length
  const isTurnThere =
    ofTurn.length > 0 && ofTurn.every((message, index) => wanted[rest + index] === message)
  const restored = restoreMessages(
    isTurnThere ? wanted.slice(0, rest) : wanted,
    host.now(),
    !isTurnThere,
  )
  const messages = isTurnThere ? [...restored.messages, ...ofTurn] : restored.messages
  store.batch(() => {
    store.load({ messages, confirmations, queue, drafts, turn: isTurnThere ? turn : undefined })
    if (isTurnThere) return
    store.patch({ requestState: 'idle', error: undefined })
    adoptWaiting(host, runner, restored, maxSteps)
  })
  const known = new Set(before)
  const now = new Set(messages)
  const changed = [
    ...before.filter((one) => !now.has(one)),
    ...messages.filter((one) => !known.has(one)),
  ]
  return changed.map(({ id }) => id)
}
