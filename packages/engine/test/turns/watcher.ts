import type { UIMessage } from 'ai'
import type { EngineState } from '../../src/state.ts'
import { callsIn, statusOf, uidOf } from './history.ts'
import type { FakeTools } from './fake-tools.ts'
import type { Stage } from './stage.ts'

/** Looks at the states of an engine, one after the other, and holds them to the rules. */
export class Watcher {
  readonly #stage: Stage
  readonly #tools: FakeTools
  readonly #first: { state: EngineState; text: string }[] = []
  #last: EngineState
  #lastText: string
  /** The messages of the turn that was aborted last. */
  #aborted: { turnId: string | undefined; messages: Map<string, string> } | undefined

  constructor(stage: Stage, tools: FakeTools, state: EngineState) {
    this.#stage = stage
    this.#tools = tools
    this.#last = state
    this.#lastText = textOf(state)
  }

  look(state: EngineState): void {
    const { rules, model, plan } = this.#stage
    const text = textOf(state)
    const isSameObject = state === this.#last
    // Between two looks it may have changed and changed back, unless every change is published.
    const mayDiffer = !plan.publishesAtOnce && !isSameObject
    rules.hold(
      'a state is the same object while nothing changes',
      mayDiffer || isSameObject === (text === this.#lastText),
      isSameObject
        ? 'the same object says something else'
        : `another object says the same: ${text}`,
    )
    if (isSameObject) return
    const before = this.#last
    this.#last = state
    this.#lastText = text
    if (this.#first.length < 5) this.#first.push({ state, text })
    model.moved(before, state, plan.publishesAtOnce)
    this.#lookAtCalls(state)
    if (plan.publishesAtOnce) this.#lookAtQueue(before, state)
    this.#lookAtHeld(before, state)
    this.#lookAtAborted(before, state)
    this.#lookAtStopped(state)
  }

  /** Snapshots from the beginning of the play must still say what they said. */
  lookBack(): void {
    for (const { state, text } of this.#first) {
      const rule = 'a state is the same object while nothing changes'
      this.#stage.rules.hold(rule, textOf(state) === text, 'a snapshot was changed')
    }
  }

  #lookAtCalls({ messages, requestState }: EngineState): void {
    const { rules, model } = this.#stage
    for (const part of callsIn(messages)) {
      const uid = uidOf(part)
      if (uid === undefined) continue
      model.seen(uid, statusOf(part))
      if (part.state !== 'output-available') continue
      const { output } = part
      const isOwn =
        typeof output === 'object' && output !== null && Reflect.get(output, 'uid') === uid
      rules.hold('a result belongs to its call', isOwn, part)
    }
    if (requestState !== 'paused') return
    const open = callsIn(messages).filter((part) => statusOf(part) === 'running')
    rules.hold('nothing runs while a turn is paused', open.length === 0, open)
    const settling = callsIn(messages).filter((part) => statusOf(part) !== 'settled')
    const isAtWork = this.#tools.isAnyRunning(settling.flatMap((part) => uidOf(part) ?? []))
    rules.hold('nothing runs while a turn is paused', !isAtWork)
  }

  /** A message that leaves the queue for the conversation was the first that may be sent. */
  #lookAtQueue(before: EngineState, { queue, messages }: EngineState): void {
    const isGone = ({ id }: { id: string }) => queue.every((queued) => queued.id !== id)
    for (const gone of before.queue.filter(isGone)) {
      if (messages.at(-1)?.id !== gone.id) continue
      const first = before.queue.find(({ held }) => !held)
      this.#stage.rules.hold('queued messages are sent in order', first === gone, gone.id)
    }
  }

  #lookAtHeld(before: EngineState, { requestState, queue }: EngineState): void {
    const hasEnded = requestState === 'aborted' || requestState === 'error'
    if (!hasEnded || requestState === before.requestState || queue.length === 0) return
    const isHeld = queue.every(({ held }) => held)
    this.#stage.rules.hold('queued messages wait after an abort or a failure', isHeld, queue)
  }

  #lookAtStopped({ requestState, queue }: EngineState): void {
    const { model, rules } = this.#stage
    if (!model.isStopped) return
    const isAtRest = requestState !== 'processing' && requestState !== 'paused'
    const isHeld = queue.every(({ held }) => held)
    const rule = 'nothing begins by itself once everything was stopped'
    rules.hold(rule, isAtRest && isHeld, { requestState, queue })
  }

  #lookAtAborted(before: EngineState, { requestState, messages, turn }: EngineState): void {
    if (requestState === 'aborted' && before.requestState !== 'aborted') {
      const texts = messages.map((message) => [message.id, withoutLate(message)] as const)
      this.#aborted = { turnId: turn?.id, messages: new Map(texts) }
      return
    }
    if (!this.#aborted) return
    const isRetried = turn?.id === this.#aborted.turnId && requestState !== 'aborted'
    const ids = new Set(messages.map(({ id }) => id))
    const isDropped = [...this.#aborted.messages.keys()].some((id) => !ids.has(id))
    // A retry goes on with the very turn; what is left of one that was edited may have to change.
    if (isRetried || isDropped) this.#aborted = undefined
    else this.#compare(messages, this.#aborted.messages)
  }

  #compare(messages: readonly UIMessage[], then: ReadonlyMap<string, string>): void {
    for (const message of messages) {
      const text = then.get(message.id)
      // A message that was edited is another one of the same id, and an approval that a provider has
      // acted upon is declined later when what came of it is dropped.
      const isAnswered =
        text?.includes('"providerExecuted":true') && text.includes('"approval-responded"')
      const mayChange = message.role === 'user' || isAnswered
      if (text === undefined || mayChange) continue
      const now = withoutLate(message)
      const rule = 'nothing is written to an aborted turn'
      this.#stage.rules.hold(rule, now === text, { now, before: text })
    }
  }
}

function textOf(state: EngineState): string {
  return JSON.stringify(state, (_key, value: unknown) =>
    value instanceof Error ? `${value.name}: ${value.message}` : value,
  )
}

/** A message but what its tools returned after their calls had ended. */
function withoutLate(message: UIMessage): string {
  return JSON.stringify(message, (key, value: unknown) => (key === 'late' ? undefined : value))
}
