import type { MessageEngine } from '../../src/message-engine.ts'
import { given } from '../../src/message/given.ts'
import { toolCallsOf } from '../../src/message/tool-calls.ts'
import type { ToolCallPart } from '../../src/message/tool-part.ts'
import type { ToolCallTarget } from '../../src/plugins/tools/commands.ts'
import { isNamed } from '../../src/plugins/tools/turn-calls.ts'
import { statusOf, uidOf } from './history.ts'
import type { Action, Plan } from './plan.ts'
import type { Rules } from './rules.ts'
import type { TurnModel } from './turn-model.ts'

/** What somebody who uses an engine needs to know. */
export interface PersonOptions {
  readonly engine: MessageEngine
  readonly plan: Plan
  readonly rules: Rules
  readonly model: TurnModel
  /** Lets time pass. */
  advance(ms: number): void
  /** Looks at the state now. */
  look(): void
}

/** What lets things begin again. */
const BEGINNINGS: ReadonlySet<Action['do']> = new Set([
  'send',
  'retry',
  'regenerate',
  'edit',
  'next',
  'append',
  'sendQueued',
  'holdQueued',
])

const REFUSALS = ['busy', 'already_decided', 'not_awaiting_approval', 'unknown_tool_call']

/** Uses an engine, foresees what comes of each decision, and follows all promises to their end. */
export class Person {
  readonly #options: PersonOptions
  readonly #unsettled = new Map<Promise<unknown>, string>()
  readonly #retries = new Map<string, number>()
  #messageCount = 0
  #actionCount = 0

  constructor(options: PersonOptions) {
    this.#options = options
  }

  /** What was begun and has not come to an end yet. */
  get unsettled(): string[] {
    return [...this.#unsettled.values()]
  }

  /** How often a turn was retried. */
  get retries(): number {
    return [...this.#retries.values()].reduce((sum, count) => sum + count, 0)
  }

  retriesOf(turnId: string): number {
    return this.#retries.get(turnId) ?? 0
  }

  do(action: Action): void {
    const { engine } = this.#options
    this.#actionCount++
    if (BEGINNINGS.has(action.do)) this.#options.model.isStopped = false
    switch (action.do) {
      case 'send':
        return this.#send()
      case 'abort':
        return this.#abort()
      case 'stopAll':
        return this.#stopAll()
      case 'retry':
        return this.#retry()
      case 'regenerate':
        return this.#follow('regenerate', engine.regenerate())
      case 'edit': {
        const users = engine.getState().messages.filter(({ role }) => role === 'user')
        const { id } = users[action.which % users.length] ?? { id: 'nothing' }
        return this.#follow('edit', engine.editMessage(id, 'edited'))
      }
      case 'editQueued':
      case 'removeQueued':
      case 'sendQueued':
      case 'moveQueued':
      case 'holdQueued':
        return this.#tendQueue(action.do, action.which)
      case 'wait':
        return this.#options.advance(action.ms)
      case 'next':
      case 'advance':
      case 'append':
        return this.#follow(action.do, engine.runPluginCommand('guard', action.do))
      case 'decide':
        return this.decide(action.which, action.outcomes)
    }
  }

  /** Decides a call, one time or two in the same tick; every answer must be the foreseen one. */
  decide(which: number, outcomes: readonly ('yes' | 'no')[]): void {
    const { engine } = this.#options
    const calls = engine.getState().messages.flatMap((message) => toolCallsOf(message))
    const asked = calls.filter(({ part }) => statusOf(part) === 'asked')
    // Mostly one that waits; also those that do not, and one that nobody made.
    const targets = which < 7 && asked.length > 0 ? asked : calls
    const target = which === 9 ? undefined : targets[which % targets.length]
    const { messageId, step } = target ?? {}
    // Models use an id again: without message and step it names several calls.
    const named = { toolCallId: target?.toolCallId ?? 'nobody', ...given({ messageId, step }) }
    for (const outcome of outcomes) this.#decideCall(named, outcome)
  }

  #decideCall(named: ToolCallTarget, outcome: 'yes' | 'no'): void {
    const { engine, model, rules } = this.#options
    const { processingState, messages } = engine.getState()
    const isBusy = processingState === 'requesting' || processingState === 'completing'
    const calls = messages.flatMap((message) => toolCallsOf(message))
    const decidedCall = calls.find((call) => isNamed(call, named))?.part
    const waiting = decidedCall && statusOf(decidedCall) === 'asked' ? decidedCall : undefined
    const uid = waiting && uidOf(waiting)
    // What waits again, while the turn looks at it, is as busy as the turn.
    const isRepeated =
      !waiting && decidedCall !== undefined && this.#answerTo(decidedCall) === outcome
    const isCounted = !isBusy && uid !== undefined && model.decides(uid, outcome)
    const decided = engine
      .runPluginCommand('tool', 'resumeToolCall', { ...named, outcome })
      .then((result) => {
        const isRefusal = !result.success && REFUSALS.includes(result.error.code)
        const isForeseen = isCounted || isRepeated ? result.success : isRefusal
        const facts = { outcome, isCounted, result }
        rules.hold('the first decision on a call wins', isForeseen, facts)
      })
    this.#follow('decide', decided)
  }

  /** What was said about a call, by a person or, where none did, by a rule. */
  #answerTo(part: ToolCallPart): 'yes' | 'no' | undefined {
    const { answer } = this.#options.model.callOf(uidOf(part) ?? '') ?? {}
    const approved = part.approval?.approved
    return answer ?? (approved === undefined ? undefined : approved ? 'yes' : 'no')
  }

  #send(): void {
    const { engine, model, plan, look } = this.#options
    // With this option the words of the message deny all that waits.
    model.isDenyingAll = plan.whenBusy === 'deny'
    this.#follow('send', engine.sendMessage(`message ${++this.#messageCount}`))
    look()
    model.isDenyingAll = false
  }

  #retry(): void {
    const { engine } = this.#options
    const { turn, requestState } = engine.getState()
    if (turn && (requestState === 'error' || requestState === 'aborted')) {
      this.#retries.set(turn.id, this.retriesOf(turn.id) + 1)
    }
    this.#follow('retry', engine.retry())
  }

  #abort(): void {
    const { engine, rules } = this.#options
    const { requestState } = engine.getState()
    const actionCount = this.#actionCount
    const isOpen = requestState === 'processing' || requestState === 'paused'
    this.#follow('abort', engine.abort())
    if (!isOpen) return
    const now = engine.getState().requestState
    // Somebody who was told of it may have begun another turn.
    const isOver = now === 'aborted' || this.#actionCount > actionCount
    rules.hold('an abort shows at once', isOver, now)
  }

  #stopAll(): void {
    const { engine, model } = this.#options
    const actionCount = this.#actionCount
    this.#follow('stopAll', engine.stopAll())
    // Somebody who was told of it may have begun another turn.
    model.isStopped = this.#actionCount === actionCount
  }

  #tendQueue(
    what: 'editQueued' | 'removeQueued' | 'sendQueued' | 'moveQueued' | 'holdQueued',
    which: number,
  ): void {
    const { engine } = this.#options
    const { queue } = engine.getState()
    const { id } = queue[which % queue.length] ?? {}
    if (id === undefined) return
    if (what === 'editQueued') engine.editQueued(id, 'edited')
    else if (what === 'moveQueued') engine.moveQueued(id, which % 3)
    else if (what === 'holdQueued') engine.holdQueued(id, which % 2 === 0)
    else engine[what](id)
  }

  #follow(what: string, promise: Promise<unknown>): void {
    this.#unsettled.set(promise, what)
    const settled = () => void this.#unsettled.delete(promise)
    promise.then(settled, (error: unknown) => {
      settled()
      const facts = `${what} rejected with ${String(error)}`
      this.#options.rules.hold('every promise settles', false, facts)
    })
  }
}
