import type { ResumeToolCallResult } from '../../src/plugins/tools/commands.ts'
import type { UIMessage } from 'ai'
import type { MessageEngine } from '../../src/message-engine.ts'
import { textOf } from '../../src/message/message-input.ts'
import { toolCallsOf } from '../../src/message/tool-calls.ts'
import {
  assentMetadata,
  isWaiting,
  toolNameOf,
  type ToolCallPart,
} from '../../src/message/tool-part.ts'
import type { EngineState } from '../../src/state.ts'
import { finalText, OPENING } from './crash-server.ts'
import type { CrashingDisk } from './crashing-disk.ts'
import type { Watch } from './invariants.ts'
import { isNo, type Decision, type Ledger } from './ledger.ts'
import type { Life } from './life.ts'
import { baseOf, type Answer, type Move, type TurnScript } from './turn-script.ts'

/** What the person says in the end, when everything else is answered. */
const FAREWELL = 'bye'

/** More than any turn needs. */
const MOST_RETRIES = 15

/** What one life of the app is for the person. */
export interface Desk {
  readonly engine: MessageEngine
  readonly life: Life
  readonly disk: CrashingDisk
}

/** Sits before the app, whatever becomes of it, and does what is to be done as the state tells. */
export class CrashPerson {
  readonly #turn: TurnScript
  readonly #ledger: Ledger
  readonly #watch: Watch
  readonly #isFickle: boolean
  readonly #acknowledged = new Set<Move>()
  readonly #said = new Set<string>()
  #desk: Desk | undefined
  #underWay = new Set<unknown>()
  #hasRevoked = false
  #retries = 0
  /** How often the person had retried when an approval was sent last. */
  readonly #sent = new Map<string, number>()

  /** @param isFickle says no to what is asked about once more */
  constructor(turn: TurnScript, ledger: Ledger, watch: Watch, isFickle: boolean) {
    this.#turn = turn
    this.#ledger = ledger
    this.#watch = watch
    this.#isFickle = isFickle
  }

  /** Sits down before the app that was opened anew; what was stored must be there. */
  sitDown(desk: Desk, before: CrashingDisk | undefined): void {
    this.#desk = desk
    this.#underWay = new Set()
    for (const text of this.#said) {
      if (!before?.hasKept(`"${text}"`)) continue
      const isThere = this.#has(desk.engine.getState(), text)
      this.#watch.hold('I9 a message that was stored is there', isThere, text)
    }
    this.#contradict(desk)
  }

  /** An approval of a call that a server runs is being sent. Answers whether that is the first time. */
  sends(toolCallId: string): boolean {
    const before = this.#sent.get(toolCallId)
    this.#sent.set(toolCallId, this.#retries)
    const isByHand = before === undefined || this.#retries > before
    this.#watch.hold('an approval is sent again only when a person retries', isByHand, toolCallId)
    return before === undefined
  }

  /** Does one thing, if there is one to do. Answers whether there was. */
  act(): boolean {
    const desk = this.#desk
    if (!desk) return false
    const { engine } = desk
    const state = engine.getState()
    if (!this.#has(state, OPENING)) return this.#send(desk, OPENING)
    const move = this.#turn.moves?.find((one) => this.#isDue(one, state))
    if (move) return this.#make(desk, move)
    const isDeciding =
      state.processingState !== 'requesting' && state.processingState !== 'completing'
    const waiting = state.messages
      .flatMap((message) => toolCallsOf(message))
      .find(({ part, toolCallId }) => isWaiting(part) && !this.#underWay.has(toolCallId))
    if (waiting && isDeciding && isOpen(state)) return this.#answer(desk, waiting.part)
    if (isOpen(state)) return false
    if (state.requestState === 'error' || this.#isUnanswered(state)) return this.#retry(desk)
    const held = state.queue.find((queued) => queued.held)
    if (held) {
      this.#watch.tell(`  sends ${textOf(held.message)}, which was held`)
      engine.sendQueued(held.id)
      return true
    }
    return !this.#has(state, FAREWELL) && this.#send(desk, FAREWELL)
  }

  /** Whether nothing is left to do. */
  isDone(state: EngineState): boolean {
    return !isOpen(state) && this.#has(state, FAREWELL) && state.queue.length === 0
  }

  /** What must have its answer in the end. */
  get said(): ReadonlySet<string> {
    return this.#said
  }

  #has({ messages, queue }: EngineState, text: string): boolean {
    return [...messages, ...queue.map(({ message }) => message)].some((message) =>
      isSaying(message, text),
    )
  }

  #isUnanswered(state: EngineState): boolean {
    if (state.requestState === 'aborted' || this.#turn.mayBeAborted) return false
    return !isAnswered(
      state.messages,
      state.messages.findLast(({ role }) => role === 'user'),
    )
  }

  #isDue(move: Move, state: EngineState): boolean {
    if (this.#underWay.has(move) || !move.when(state)) return false
    if (move.lasts && this.#acknowledged.has(move)) {
      this.#watch.hold(
        'I9 a decision that was acknowledged is not asked for again',
        false,
        move.name,
      )
    }
    return true
  }

  #send(desk: Desk, text: string): boolean {
    const { engine } = desk
    this.#watch.tell(`  says ${text}`)
    this.#said.add(text)
    void engine.sendMessage(text)
    return true
  }

  #make(desk: Desk, move: Move): boolean {
    this.#watch.tell(`  makes the move: ${move.name}`)
    this.#underWay.add(move)
    if (move.name === 'revoke') this.#hasRevoked = true
    if (move.says !== undefined) this.#said.add(move.says)
    void move.make(desk.engine).then((isDone) => {
      if (desk.life.isDead) return
      this.#watch.tell(`  ${move.name}: ${isDone ? 'done' : 'refused'}`)
      // An abort does not wait for a store that hangs.
      if (!isDone || desk.disk.isFailing || desk.life.isHung) return
      this.#acknowledged.add(move)
      if (move.name === 'revoke') this.#ledger.isRevoked = true
      if (move.name === 'abort') this.#ledger.aborted()
    })
    return true
  }

  #answer(desk: Desk, part: ToolCallPart): boolean {
    const { toolCallId: id } = part
    const base = baseOf(id)
    const ledger = this.#ledger
    const watch = this.#watch
    this.#mayBeAsked(part)
    const before = ledger.decisionOn(base)
    const planned = this.#turn.answers?.[base] ?? {}
    const isChanged = this.#isFickle && before !== undefined && !('output' in planned)
    const answer: Answer = isChanged ? { outcome: 'no', reason: 'changed my mind' } : planned
    const decision: Decision = {
      id,
      base,
      tool: toolNameOf(part),
      answer,
      life: desk.life.number,
      isAcknowledged: false,
    }
    ledger.decisions.push(decision)
    watch.tell(`  answers ${id}: ${JSON.stringify(answer)}`)
    this.#underWay.add(id)
    const { engine } = desk
    const done =
      'output' in answer
        ? engine.runPluginCommand('tool', 'submitToolOutput', { toolCallId: id, ...answer })
        : engine.runPluginCommand('tool', 'resumeToolCall', { toolCallId: id, ...answer })
    void done.then((result) => {
      if (desk.life.isDead) return
      this.#underWay.delete(id)
      watch.tell(`  ${id}: ${result.success ? 'acknowledged' : result.error.message}`)
      if (!result.success) {
        watch.hold(
          'what is reported was to be expected',
          result.error.code === 'busy',
          result.error,
        )
        return
      }
      if (desk.disk.isFailing) return
      decision.isAcknowledged = true
      const { settled = [] }: Partial<ResumeToolCallResult> = result.result
      for (const { toolCallId } of settled) ledger.settled.add(toolCallId)
    })
    return true
  }

  /** A person may be asked about what is not decided, and did not happen. */
  #mayBeAsked(part: ToolCallPart): void {
    const { toolCallId: id } = part
    const ledger = this.#ledger
    const watch = this.#watch
    const known = ledger.decisions.find((one) => one.id === id && one.isAcknowledged)
    const isRevoked = this.#hasRevoked
    const isSettled = ledger.settled.has(id) && !isRevoked
    watch.hold(
      'I9 a decision that was acknowledged is not asked for again',
      this.#isReopened(part) || (!known && !isSettled),
      id,
    )
    const isDone = ledger.effectsOf(baseOf(id)).length > 0
    watch.hold('I1 what took effect is not asked about again', !isDone, id)
  }

  /** Whether a call is asked about again since it could not be stored that it starts. */
  #isReopened(part: ToolCallPart): boolean {
    return this.#turn.isDurable === true && assentMetadata(part).checkFailed === true
  }

  #retry(desk: Desk): boolean {
    this.#retries++
    const { error, requestState } = desk.engine.getState()
    this.#watch.tell(`  retries: ${error?.message ?? requestState}`)
    const isEnough = this.#retries > MOST_RETRIES
    this.#watch.hold('it ends at rest with an answer to everything', !isEnough, 'too many retries')
    if (isEnough) return false
    void desk.engine.retry().then(({ turnId, error: refused }) => {
      if (desk.life.isDead) return
      const isOpened = turnId !== undefined || refused?.code === 'busy'
      this.#watch.hold('it ends at rest with an answer to everything', isOpened, refused?.message)
    })
    return true
  }

  /** Says the opposite of what was said, and acknowledged, before the app was opened anew. */
  #contradict({ engine, life }: Desk): void {
    const { requestState, messages } = engine.getState()
    if (requestState !== 'paused') return
    const calls = messages.flatMap((message) => toolCallsOf(message))
    const there = new Set(
      calls.filter(({ part }) => !this.#isReopened(part)).map(({ toolCallId }) => toolCallId),
    )
    for (const decision of this.#ledger.decisions) {
      const { id, base, answer, isAcknowledged } = decision
      if (!isAcknowledged || !there.has(id) || 'output' in answer) continue
      // What was said after it may be stored, too.
      if (this.#ledger.decisionOn(base) !== decision) continue
      const payload = { toolCallId: id, outcome: isNo(answer) ? 'yes' : 'no' } as const
      void engine.runPluginCommand('tool', 'resumeToolCall', payload).then((again) => {
        if (life.isDead) return
        const isRefused = !again.success && again.error.code === 'not_awaiting_approval'
        const facts = { payload, again }
        this.#watch.hold('I3 another decision on what was decided is refused', isRefused, facts)
      })
    }
  }
}

function isOpen({ requestState }: EngineState): boolean {
  return requestState === 'processing' || requestState === 'paused'
}

function isSaying(message: UIMessage, text: string): boolean {
  return message.role === 'user' && textOf(message) === text
}

/** Whether the final text follows a message of the person. */
export function isAnswered(messages: readonly UIMessage[], asked: UIMessage | undefined): boolean {
  if (!asked) return true
  const from = messages.indexOf(asked) + 1
  const next = messages.findIndex(({ role }, index) => index >= from && role === 'user')
  const answers = messages.slice(from, next === -1 ? undefined : next)
  return answers.some((message) => textOf(message).endsWith(finalText(textOf(asked))))
}
