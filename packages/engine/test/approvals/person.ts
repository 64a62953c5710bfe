import type { CommandResult } from '../../src/commands.ts'
import type { EngineErrorCode } from '../../src/errors.ts'
import { refOf, type ToolCallEntry } from '../../src/message/tool-calls.ts'
import {
  assentMetadata,
  isSettled,
  toolCallStatus,
  type ToolCallPart,
} from '../../src/message/tool-part.ts'
import { INVALID, type Clicks } from './clicks.ts'
import { Decider } from './decider.ts'
import type { Policy } from '../../src/testing/decision-model.ts'
import { Hands, type Target } from './hands.ts'
import type { Page } from './page.ts'
import type { Move } from './plan.ts'
import { INPUTS } from './scopes.ts'
import type { Stage } from './stage.ts'
import type { Witness } from './witness.ts'

/** What is answered in place of a tool. */
type Said = { output: string } | { errorText: string }

const MINE: Said = { output: 'mine' }
const CANNOT: Said = { errorText: 'I cannot' }

const RESULT = 'I3 an answer or a cancellation is the result'

/** Uses an engine, and foresees what comes of each move. */
export class Person {
  readonly #stage: Stage
  readonly #witness: Witness
  readonly #clicks: Clicks
  readonly #hands: Hands
  readonly #decider: Decider
  /** Outputs that were submitted, by the call. */
  readonly #outputs = new Map<string, Said>()
  #messageCount = 0
  #retries = 0

  constructor(stage: Stage, witness: Witness, clicks: Clicks, page: Page) {
    this.#stage = stage
    this.#witness = witness
    this.#clicks = clicks
    this.#hands = new Hands(stage, witness, page)
    this.#decider = new Decider(stage, this.#hands, clicks)
  }

  /**
   * From now on another engine is used.
   *
   * @param isCrashed nobody answers any more what was begun
   */
  begins(isCrashed: boolean): void {
    this.#hands.moveCount++
    if (isCrashed) this.#hands.forget()
  }

  /** What was answered is there in another engine, whether that was said to be kept or not. */
  looks(): void {
    const { watch } = this.#stage
    const calls = this.#hands.entries().flatMap((entry) => {
      const uid = this.#hands.callOf(entry)?.uid
      return uid === undefined ? [] : [{ uid, part: entry.part }]
    })
    for (const { uid, part } of calls) {
      const isSubmitted = assentMetadata(part).submitted === true
      if (this.#outputs.has(uid)) {
        watch.hold('I9 a decision that was acknowledged is there', isSubmitted, part)
      }
    }
  }

  /** How often it was retried. */
  get retries(): number {
    return this.#retries
  }

  /** What was begun and has not come to an end yet. */
  get unsettled(): string[] {
    return this.#hands.unsettled
  }

  /** @param isRacing something else happens at the same time */
  do(move: Exclude<Move, { do: 'wait' | 'restart' | 'reload' }>, isRacing = false): void {
    this.#stage.look()
    this.#hands.moveCount++
    this.#hands.isRacing = isRacing
    switch (move.do) {
      case 'send':
        return this.#send()
      case 'abort':
      case 'retry':
      case 'regenerate':
        return this.#move(move.do)
      case 'decide':
        return this.#decide(move)
      case 'decide several':
        return this.#decider.decideSeveral(move)
      case 'revoke':
        return this.#revoke(move)
      case 'stopAll':
        this.#witness.suspensions.stop(this.#hands)
        if (move.next === 'send') return this.#send()
        return this.#witness.suspensions.resume(this.#hands, null)
      case 'resume':
        return this.#witness.suspensions.resume(this.#hands, move.which)
      case 'cancel':
        return this.#cancel(move.which)
      case 'submit':
        return this.#submit(move)
      case 'change':
        return this.#change(move)
    }
  }

  #decide(move: Extract<Move, { do: 'decide' }>): void {
    const { call } = this.#decider.decide(move)
    this.#stage.look()
    if (move.next === 'revoke') this.#revoke({ do: 'revoke', which: 0, isTwice: false })
    if (move.next !== 'change' || !call?.answer) return
    this.#changeCall(this.#hands.entryOf(call.uid), (call.input + 1) % INPUTS.length)
  }

  #move(what: 'abort' | 'retry' | 'regenerate'): void {
    const { watch } = this.#stage
    const { requestState } = this.#hands.engine.getState()
    watch.tell(what)
    if (what === 'retry') this.#retries++
    this.#hands.follow(what, this.#hands.engine[what]())
    if (this.#hands.engine.getState().requestState !== requestState) watch.happened(what)
  }

  #send(): void {
    const { watch, plan } = this.#stage
    const { requestState } = this.#hands.engine.getState()
    const text = `message ${++this.#messageCount}`
    const isOpen = requestState === 'processing' || requestState === 'paused'
    const isAnyAsked = () =>
      this.#hands.entries().some(({ part }) => toolCallStatus(part) === 'awaiting-approval')
    const mayDeny = plan.whenBusy === 'deny' && isOpen && !this.#hands.isBusy
    const isDenying = mayDeny && isAnyAsked()
    watch.tell(`send ${text}`)
    watch.happened(isDenying ? 'send, denies' : isOpen ? `send, ${plan.whenBusy}` : 'send')
    const said = { uid: undefined, edit: undefined, shown: INVALID, scope: undefined }
    const click = this.#clicks.add({ ...said, outcome: 'no', reason: text, sentScope: undefined })
    this.#hands.follow('send', this.#hands.engine.sendMessage(text))
    this.#stage.look()
    // Only what waits in the moment of the message is denied by it.
    this.#clicks.remove(click)
    if (!isDenying) return
    const facts = 'a message denies all that waits'
    watch.hold('I3 the first decision on a call counts', !isAnyAsked(), facts)
  }

  #revoke({ which, isTwice }: Extract<Move, { do: 'revoke' }>): void {
    const { model, watch } = this.#stage
    const all = [...model.policies.values()]
    const calls = [...model.calls.values()]
    const isInUse = (policy: Policy) =>
      calls.some((call) => call.policy === policy && !call.isStarted && !call.isOver)
    // Mostly one that has approved something, or at least stands.
    const choices = [all.filter(isInUse), all.filter((one) => model.isAlive(one)), all]
    const policies = choices.slice(which < 7 ? 0 : 2).find(({ length }) => length > 0) ?? []
    const policy = which === 9 ? undefined : policies[which % policies.length]
    const policyId = policy?.id ?? 'nothing'
    const isKnown =
      policy !== undefined && (policy.isEverywhere || policy.conversation === model.conversation)
    const approved = calls.filter(
      (call) => call.policy === policy && policy && !call.isStarted && !call.isOver && !call.answer,
    )
    for (let time = 0; time < (isTwice ? 2 : 1); time++) {
      watch.tell(`revoke ${policyId}`)
      if (policy && !policy.isRevoked && time === 0) this.#witness.revokes(policyId)
      this.#hands.command('revokePolicy', { policyId }, (result, isForeseeable) => {
        watch.tell(
          `  revoked: ${result.success ? JSON.stringify(result.result) : result.error.code}`,
        )
        if (result.success && result.stored !== false)
          this.#clicks.acknowledged.add(`revocation of ${policyId}`)
        watch.happened(result.success ? 'revoke' : `refused: ${result.error.code}`)
        if (!isForeseeable) return
        const isRight = result.success || (!isKnown && result.error.code === 'unknown_policy')
        watch.hold('I3 the first decision on a call counts', isRight, { policyId, result })
        if (!isKnown) return
        watch.hold('I7 a revocation asks again at once', policy.isRevoked, policyId)
        // A turn that is over, or was restarted, has nothing that could wait again.
        for (const call of approved.filter(({ uid }) => this.#hands.isOpen(uid))) {
          watch.happened('revoke, asks again')
          watch.hold('I7 a revocation asks again at once', call.policy !== policy, call)
        }
      })
    }
  }

  #cancel(which: number): void {
    const { watch } = this.#stage
    const target = this.#hands.pick(which, ['executing', 'scheduled'])
    const { call, entry } = target ?? {}
    const status = entry && toolCallStatus(entry.part)
    let refusal: EngineErrorCode | undefined
    if (!entry) refusal = 'unknown_tool_call'
    else if (call?.isGuarded && !isSettled(entry.part)) refusal = 'executed_elsewhere'
    else if (status !== 'executing' && status !== 'scheduled') refusal = 'not_running'
    const payload = target?.named ?? { toolCallId: 'nobody' }
    watch.tell(`cancel ${call?.uid}`)
    this.#hands.command('cancelToolCall', payload, (result, isForeseeable) => {
      this.#checkOutcome('cancel', payload, refusal, result, isForeseeable)
      if (!result.success || !call) return
      const now = this.#hands.entryOf(call.uid)
      const isEnded = !now || toolCallStatus(now.part) === 'cancelled'
      watch.hold(RESULT, isEnded, now)
    })
  }

  #submit({ which, isError, next }: Extract<Move, { do: 'submit' }>): void {
    const target = this.#hands.pick(which, ['awaiting-output', 'awaiting-approval', 'scheduled'])
    const { call, entry } = target ?? {}
    const [said, other] = isError ? [CANNOT, MINE] : [MINE, CANNOT]
    const status = entry && toolCallStatus(entry.part)
    // It is shown as running while it is stored that it starts: then it can be answered, or not any more.
    const isStarting =
      status === 'executing' && call !== undefined && this.#witness.ranTimes(call) === 0
    const isFree =
      status === 'awaiting-output' || status === 'awaiting-approval' || status === 'scheduled'
    // Where a store is slow, what was answered may not be said to be done yet.
    const given = (call && this.#outputs.get(call.uid)) ?? (entry && saidIn(entry.part))
    const refusalOf = (one: Said): EngineErrorCode | undefined => {
      if (!entry) return 'unknown_tool_call'
      if (call?.isGuarded && !isSettled(entry.part)) return 'executed_elsewhere'
      // Of two in the same tick the first counts.
      return (isFree ? said : given) === one ? undefined : 'not_awaiting_output'
    }
    this.#submitOnce(target, said, refusalOf(said), isStarting)
    if (next === 'nothing') return
    const second = next === 'the same' ? said : other
    this.#submitOnce(target, second, refusalOf(second), isStarting)
  }

  #submitOnce(
    target: Target | undefined,
    said: Said,
    refusal: EngineErrorCode | undefined,
    isStarting: boolean,
  ): void {
    const { watch } = this.#stage
    const uid = target?.call?.uid
    const payload = { ...(target?.named ?? { toolCallId: 'nobody' }), ...said }
    watch.tell(`submit for ${uid}: ${JSON.stringify(said)}`)
    this.#hands.command('submitToolOutput', payload, (result, isForeseeable) => {
      const what = 'errorText' in said ? 'submit an error' : 'submit'
      this.#checkOutcome(what, payload, refusal, result, isForeseeable && !isStarting)
      if (!result.success || uid === undefined) return
      if (result.stored !== false) this.#outputs.set(uid, said)
      const now = this.#hands.entryOf(uid)
      if (!now) return
      const shown = now.part.state === 'output-error' ? now.part.errorText : now.part.output
      const isIt = shown === Object.values(said)[0] && assentMetadata(now.part).submitted === true
      watch.hold(RESULT, isIt, { payload, now })
    })
  }

  /** Somebody else does this: mostly to what is approved and has not started. */
  #change({ which, input }: Extract<Move, { do: 'change' }>): void {
    if (!this.#hands.isRacing)
      this.#changeCall(this.#hands.pick(which, ['scheduled'])?.entry, input)
  }

  #changeCall(entry: ToolCallEntry | undefined, input: number): void {
    const { model, watch } = this.#stage
    const call = entry && this.#hands.callOf(entry)
    const status = entry && toolCallStatus(entry.part)
    const isOpen = status === 'scheduled' || status === 'awaiting-approval'
    if (!call || !isOpen || this.#hands.isBusy || call.isGuarded || call.input === input) return
    watch.tell(`somebody changes ${call.uid} to ${JSON.stringify(INPUTS[input])}`)
    watch.happened('change')
    if (call.answer ?? call.policy) watch.happened('change what was approved')
    model.changed(call, input)
    this.#hands.changed.add(call.uid)
    const payload = { ref: refOf(entry), input: INPUTS[input] }
    this.#hands.command('change', payload, () => undefined, 'meddler')
  }

  #checkOutcome(
    what: string,
    payload: unknown,
    refusal: EngineErrorCode | undefined,
    result: CommandResult,
    isForeseeable: boolean,
  ): void {
    const { watch } = this.#stage
    watch.tell(`  ${what}: ${result.success ? 'done' : result.error.code}`)
    watch.happened(result.success ? what : `refused: ${result.error.code}`)
    if (!isForeseeable) return
    const code = result.success ? undefined : result.error.code
    // What is over does not always tell any more where it was to run.
    const isElsewhere = refusal !== undefined && code === 'executed_elsewhere'
    const isForeseen = code === refusal || isElsewhere
    const facts = { what, payload, refusal, result }
    watch.hold(RESULT, isForeseen, facts)
  }
}

/** What a person has answered in place of a tool, as the call says it. */
function saidIn(part: ToolCallPart): Said | undefined {
  if (!assentMetadata(part).submitted) return undefined
  return part.state === 'output-error' ? CANNOT : MINE
}
