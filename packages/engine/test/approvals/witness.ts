import type { PolicyEvent, ToolCallConfirmation } from '../../src/confirmation.ts'
import { toolCallsOf, type ToolCallEntry } from '../../src/message/tool-calls.ts'
import {
  assentMetadata,
  isSettled,
  toolCallStatus,
  type ToolCallPart,
  type ToolCallRef,
} from '../../src/message/tool-part.ts'
import type { EngineState } from '../../src/state.ts'
import { editOf, fingerprintOf, type Clicks } from './clicks.ts'
import type { Call, Policy } from '../../src/testing/decision-model.ts'
import type { Invariant } from './invariants.ts'
import { INPUTS } from './scopes.ts'
import { uidOf } from './server.ts'
import { awaitsOutput, endOf, saysUnknown } from './standing.ts'
import type { Stage } from './stage.ts'
import { Suspensions } from './suspensions.ts'

const CHANGED = 'I2 what was changed after a yes is asked about again'
const VOID = 'I7 what is void, used up or meant elsewhere covers nothing'
const RUNS = 'I2 what was let run does run, and what is to be asked is asked'

/** One effect of a tool. */
interface LedgerEntry {
  readonly uid: string
  readonly tool: string
  readonly args: unknown
  /** In milliseconds. */
  readonly at: number
}

/** Compares what the engine says and what tools do with what the model allows. */
export class Witness {
  readonly #stage: Stage
  readonly #clicks: Clicks
  /** What was done to the world, noted outside of the engine. */
  readonly #ledger: LedgerEntry[] = []
  /** Of the last decision on a call, by a person or a policy. */
  readonly #fingerprints = new Map<string, string>()
  readonly #notes = new Set<string>()
  readonly suspensions: Suspensions
  #state: EngineState | undefined
  #recordCount = 0
  /** The history is about to be read from a store. */
  #isReading = false

  constructor(stage: Stage, clicks: Clicks) {
    this.#stage = stage
    this.#clicks = clicks
    this.suspensions = new Suspensions(stage)
  }

  /** An engine begins with a history that is known, though it may have to read it first. */
  begins(state: EngineState): void {
    this.#recordCount = Math.max(this.#recordCount, state.confirmations.length)
    this.look(state)
  }

  reads(): void {
    this.#isReading = true
  }

  /** What the last decision on each call was about. */
  remember(): ReadonlyMap<string, string> {
    return new Map(this.#fingerprints)
  }

  /** Goes back to what was known when so many confirmations were there. */
  recall(fingerprints: ReadonlyMap<string, string>, recordCount: number): void {
    this.#fingerprints.clear()
    for (const [uid, fingerprint] of fingerprints) this.#fingerprints.set(uid, fingerprint)
    this.#recordCount = recordCount
  }

  /** Takes over, at once, what is decided and what starts: their order matters. */
  glance({ confirmations, messages }: EngineState): ToolCallEntry[] {
    if (this.#isReading && confirmations.length > 0) {
      this.#isReading = false
      this.#stage.model.reorder(confirmations.map(({ id }) => id))
    }
    const records = confirmations.slice(this.#recordCount)
    this.#recordCount = Math.max(this.#recordCount, confirmations.length)
    const entries = messages.flatMap((message) => toolCallsOf(message))
    for (const record of records) {
      if ('event' in record) this.#happened(record, entries)
      else if (record.revokes !== undefined) this.#revoked(record)
      else this.#decided(record, entries)
    }
    for (const { part } of entries) {
      const call = this.callOf(part)
      const isStarting = assentMetadata(part).startedAt !== undefined && !isSettled(part)
      if (call && isStarting && !call.isStarted) this.#started(call)
    }
    return entries
  }

  /** Takes over what is new: decisions first, then where each call stands. */
  look(state: EngineState): void {
    if (state === this.#state) return
    this.#state = state
    for (const { part } of this.glance(state)) {
      const call = this.callOf(part)
      if (call) this.#look(call, part)
    }
  }

  /** The model's call of a part. */
  callOf(part: ToolCallPart): Call | undefined {
    return this.#stage.model.calls.get(uidOf(part) ?? '')
  }

  /** How often a call ran. */
  ranTimes(call: Pick<Call, 'uid'>): number {
    return this.#ledger.filter(({ uid }) => uid === call.uid).length
  }

  /** A tool takes effect, here or on the server. */
  ran(uid: string, tool: string, args: unknown): void {
    const { watch, model, now } = this.#stage
    watch.tell(`${uid} RUNS: ${tool}(${JSON.stringify(args)})`)
    this.#ledger.push({ uid, tool, args, at: now() })
    watch.hold('I1 a call runs at most once', this.ranTimes({ uid }) === 1, this.#ledger)
    const call = model.calls.get(uid)
    if (!call) return watch.hold('I2 what runs is what was decided', false, `${uid} is unknown`)
    if (call.isNever) this.#broken('I2 what runs is what was decided', call)
    watch.hold('I3 an answer or a cancellation is the result', !call.isOver, `${uid} is over`)
    if (!call.isStarted) this.#started(call)
    const done = fingerprintOf(tool, args)
    const decided = this.#fingerprints.get(uid) ?? fingerprintOf(call.tool, INPUTS[call.input])
    const isIt = done === decided && done === fingerprintOf(call.tool, INPUTS[call.input])
    watch.hold('I2 what runs is what was decided', isIt, { uid, args, call })
  }

  /** A call starts: by whose word? */
  #started(call: Call): void {
    const { model, watch, now } = this.#stage
    call.isStarted = true
    const { says, by } = model.verdict(call)
    if (call.answer || call.policy) {
      const isChecked = call.isGuarded || call.isChecked
      watch.hold('I6 rules are asked again after a person was', isChecked, call)
    }
    if (call.changedFrom !== undefined) this.#broken(CHANGED, call)
    else if (says === 'deny' && by === 'person') this.#broken('I5 a denied call never runs', call)
    else if (says === 'deny') this.#broken('I6 a deny of a rule beats a yes and a policy', call)
    else if (says === 'ask' && call.policy) this.#broken(endOf(call.policy, now()), call)
    else if (says === 'ask' && call.rule === 'fail') {
      this.#broken('I6 no policy beats a failed check', call)
    } else watch.hold('I2 what runs is what was decided', says === 'run', call)
    // Whatever covers it must have been said to.
    const isNamed = by !== 'policy' || says !== 'run' || call.policy !== undefined
    if (!isNamed) this.#broken('I8 an automatic yes names its policy and the click behind it', call)
  }

  #broken(invariant: Invariant, facts: unknown): void {
    this.#stage.watch.hold(invariant, false, facts)
  }

  #decided(record: ToolCallConfirmation, entries: readonly ToolCallEntry[]): void {
    const { model, watch, now } = this.#stage
    const call = this.#callNamed(record, entries)
    const click = call && this.#clicks.take(call.uid, record)
    const { id, outcome, fingerprint } = record
    watch.tell(`  recorded: ${call?.uid} ${outcome} as ${id}`)
    if (!call || !click) {
      return this.#broken('I2 a decision is bound to its call and input', {
        record,
        nobody: 'did this',
      })
    }
    const isOpen = call.isAsked || (awaitsOutput(this.#stage, call) && outcome === 'no')
    watch.hold('I3 the first decision on a call counts', isOpen && !call.isOver, { record, call })
    const input = editOf(click, click) ?? call.input
    const isBound =
      fingerprint === fingerprintOf(call.tool, INPUTS[input]) &&
      record.toolName === call.tool &&
      record.conversationId === model.conversation &&
      record.at === now()
    watch.hold('I2 a decision is bound to its call and input', isBound, record)
    this.#fingerprints.set(call.uid, fingerprint)
    model.answered(call, { id, outcome, input, scope: click.scope })
  }

  #revoked({ revokes = '' }: ToolCallConfirmation): void {
    const { model, watch } = this.#stage
    const policy = model.policies.get(revokes)
    watch.tell(`  recorded: ${revokes} is revoked`)
    const isFirst = policy?.isRevoked === false && this.#notes.delete(`revoke ${revokes}`)
    watch.hold('I3 the identical decision again changes nothing', isFirst, revokes)
    if (policy) policy.isRevoked = true
  }

  /** A person is about to take a policy back. */
  revokes(policyId: string): void {
    this.#notes.add(`revoke ${policyId}`)
  }

  #happened(record: PolicyEvent, entries: readonly ToolCallEntry[]): void {
    const { model, watch } = this.#stage
    const { policyId, event, fingerprint } = record
    const policy = model.policies.get(policyId)
    const call = this.#callNamed(record, entries)
    watch.tell(`  recorded: ${policyId} ${event} by ${call?.uid}`)
    if (event === 'used') {
      if (!call || !policy)
        return this.#broken('I8 an automatic yes names its policy and the click behind it', record)
      this.#fingerprints.set(call.uid, fingerprint)
      this.#used(call, policy)
      const isBound = fingerprint === fingerprintOf(call.tool, INPUTS[call.input])
      return watch.hold('I2 a decision is bound to its call and input', isBound, record)
    }
    if (event === 'suspended' || event === 'resumed') return this.suspensions.recorded(record)
    if (event === 'expired') {
      const isOver = policy !== undefined && this.#stage.now() >= policy.until
      return watch.hold('I8 policies are those of the history', isOver, record)
    }
    const isTrue =
      event === 'call-failed'
        ? call !== undefined && this.#isOf(policy, call, entries) && this.#mayHaveRun(call)
        : policy !== undefined && policy.schema !== model.schemaOf(policy.tool)
    watch.hold(VOID, isTrue, record)
    if (policy) policy.isVoid = true
  }

  /** Whether a policy was given on a call, or on one of its name in a step that was asked for anew. */
  #isOf(policy: Policy | undefined, call: Call, entries: readonly ToolCallEntry[]): boolean {
    if (!policy || policy.uid === call.uid) return policy !== undefined
    return !entries.some(({ part }) => this.callOf(part)?.uid === policy.uid)
  }

  /** Whether a call took effect, or was about to when its time was up: that is stored first. */
  #mayHaveRun(call: Call): boolean {
    return this.ranTimes(call) > 0 || (this.#stage.plan.store !== 'none' && call.isStarted)
  }

  /** A policy approves a call: may it? */
  #used(call: Call, policy: Policy): void {
    const { model, now } = this.#stage
    const isFailed = call.rule === 'fail'
    const isTooMuch = call.isDestroy && policy.matches !== 'same'
    const isDead = !model.isAlive(policy) || policy.used >= policy.uses
    const isDue = model.used(call, policy)
    if (isFailed) this.#broken('I6 no policy beats a failed check', { call, policy })
    else if (isTooMuch)
      this.#broken('I6 only the exact input covers what destroys', { call, policy })
    else if (isDead) this.#broken(endOf(policy, now()), { call, policy })
    else if (!isDue)
      this.#broken('I8 an automatic yes names its policy and the click behind it', { call, policy })
  }

  #look(call: Call, part: ToolCallPart): void {
    const { model, watch } = this.#stage
    const status = toolCallStatus(part)
    const { decidedBy, confirmationId, submitted, recordFailed } = assentMetadata(part)
    if (status === 'awaiting-approval' && !call.isAsked) {
      if (call.changedFrom !== undefined) watch.hold(CHANGED, true)
      const hasRun = this.ranTimes(call) > 0
      if (hasRun) this.#broken('I1 what took effect is not asked about again', call)
      const isDue = model.asked(call)
      // A policy answers what a server asks once the step has ended; and a store may be too slow.
      const mayAsk = isDue || call.isGuarded || recordFailed === true
      watch.hold(RUNS, !call.isOver && mayAsk, { needless: 'asked', call })
      watch.tell(`  ${call.uid} is asked about`)
    }
    if (isSettled(part) && !call.isOver) {
      // A server may say what came of it when its approval is sent again.
      const isFromServer = call.isGuarded && assentMetadata(part).ended === undefined
      if (call.isCut && !isFromServer) {
        const says = saysUnknown(part)
        watch.hold('I1 what was cut off is interrupted, and says so', says, { part, call })
      }
      model.settled(call.uid, status === 'error' && !submitted)
      watch.tell(`  ${call.uid} has its result: ${part.state} ${part.errorText ?? ''}`)
    }
    const isByPolicy = part.approval?.approved === true && part.approval.isAutomatic === true
    const note = `${call.uid} by ${confirmationId}`
    if (!isByPolicy || decidedBy === 'rule' || submitted || this.#notes.has(note)) return
    this.#notes.add(note)
    const policy = model.policies.get(confirmationId ?? '')
    const isNamed =
      policy !== undefined &&
      decidedBy === 'policy' &&
      call.policy === policy &&
      model.covers(call).includes(policy) &&
      part.approval?.reason === `Always allowed: confirmation ${policy.id}.`
    watch.hold('I8 an automatic yes names its policy and the click behind it', isNamed, {
      part,
      call,
    })
  }

  #callNamed(ref: ToolCallRef, entries: readonly ToolCallEntry[]): Call | undefined {
    const entry = entries.find(
      ({ messageId, step, toolCallId }) =>
        messageId === ref.messageId && step === ref.step && toolCallId === ref.toolCallId,
    )
    return entry && this.callOf(entry.part)
  }
}
