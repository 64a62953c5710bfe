import type { CommandResult } from '../../src/commands.ts'
import type { EngineErrorCode } from '../../src/errors.ts'
import { keyOf } from '../../src/message/tool-calls.ts'
import { toolCallStatus } from '../../src/message/tool-part.ts'
import type { ResumeToolCallPayload } from '../../src/plugins/tools/commands.ts'
import { editOf, INVALID, sameJson, type Click, type Clicks } from './clicks.ts'
import type { Call } from '../../src/testing/decision-model.ts'
import {
  coversOf,
  isUnclear,
  noScope,
  settledOf,
  type Decision,
  type SentScope,
} from './decision.ts'
import type { Hands, Target } from './hands.ts'
import { TOOLS, type DecisionPlan, type Move, type ScopePlan } from './plan.ts'
import { COVERS, INPUTS, MALFORMED_SCOPES } from './scopes.ts'
import type { Stage } from './stage.ts'

const NO_INPUT = { path: 7 }
const REASONS = { yes: undefined, yes_always: undefined, no: 'rather not' } as const

/** Decides calls, and foresees what comes of each decision. */
export class Decider {
  readonly #stage: Stage
  readonly #hands: Hands
  readonly #clicks: Clicks
  /** Decisions that still took their time when the call was denied. */
  readonly #overtaken = new Set<Decision>()

  constructor(stage: Stage, hands: Hands, clicks: Clicks) {
    this.#stage = stage
    this.#hands = hands
    this.#clicks = clicks
  }

  /** Answers with the decision, which may have to wait. */
  decide({ decision: plan, next }: Extract<Move, { do: 'decide' }>): Decision {
    const decision = this.#decisionOf(plan)
    this.#resume(decision)
    if (next !== 'the same' && next !== 'another') return decision
    // In the same tick: which of the two counts, if any, must not be a matter of chance.
    const outcome = plan.outcome === 'no' ? ('yes' as const) : ('no' as const)
    const other: DecisionPlan = next === 'the same' ? plan : { ...plan, outcome, edit: null }
    this.#resume(this.#decisionOf(other, decision), decision)
    return decision
  }

  /** @param first of two decisions in the same tick */
  #resume(decision: Decision, first?: Decision): void {
    const { watch } = this.#stage
    const { payload, call, click } = decision
    const { outcome = 'yes' } = payload
    const what = `${outcome} to ${call?.uid ?? 'nobody'}`
    watch.tell(`${what} ${JSON.stringify(payload)}`)
    if (click) this.#clicks.add(click)
    if (first && outcome === 'no' && takesTime(first)) this.#overtaken.add(first)
    const waiting = this.#hands
      .entries()
      .filter(({ part }) => toolCallStatus(part) === 'awaiting-approval')
      .flatMap((entry) => this.#hands.callOf(entry) ?? [])
    const commandCount = this.#hands.commandCount + 1
    const useCount = this.#stage.model.uses.length
    this.#hands.command('resumeToolCall', payload, (result, isForeseeable) => {
      const isRecorded = click !== undefined && !this.#clicks.isOpen(click)
      if (click) this.#clicks.remove(click)
      watch.tell(`  ${what}: ${result.success ? 'done' : result.error.code}`)
      this.#checkRecord(decision, result, isRecorded)
      const isLast = this.#hands.commandCount === commandCount
      const isDone = result.success && isRecorded && isForeseeable && isLast
      if (isDone && outcome === 'yes_always') {
        const used = this.#stage.model.uses.slice(useCount)
        this.#checkSettled(
          result.result,
          waiting.filter((one) => one !== call && used.includes(one.uid)),
        )
      }
      if (!isForeseeable || isUnclear(decision) || this.#overtaken.has(decision)) return
      if (first) this.#checkSecond(decision, first, result, isRecorded)
      else this.#checkForeseen(decision, result, isRecorded)
    })
  }

  /** What is said to be done is in the history, and nothing else is. */
  #checkRecord(decision: Decision, result: CommandResult, isRecorded: boolean): void {
    const { watch } = this.#stage
    const { payload, call, click, isRepeated } = decision
    const { outcome = 'yes' } = payload
    if (!result.success) {
      watch.happened(`refused: ${result.error.code}`)
      watch.hold('I3 a conflicting decision is refused', !isRecorded, { payload, result })
    } else if (!click || !isRecorded) {
      const isSame =
        call && click && (this.#clicks.isRepeated(call, click) || this.#clicks.isOvertaken(click))
      const isNothing = isRepeated || isSame === true || isUnclear(decision)
      watch.hold('I3 the identical decision again changes nothing', isNothing, payload)
      watch.happened('the identical decision again')
    } else {
      if (result.stored !== false) this.#clicks.acknowledge(click)
      watch.happened(outcome)
      if (editOf(click, click) !== undefined) watch.happened('edit')
      if (outcome === 'yes_always') watch.happened(`always, ${coversOf(payload)}`)
    }
  }

  /** Nothing else happened meanwhile: it came as it had to come. */
  #checkForeseen(decision: Decision, result: CommandResult, isRecorded: boolean): void {
    const { watch } = this.#stage
    const { payload, refusals, isRepeated } = decision
    const facts = { payload, refusals, result }
    if (refusals.length > 0) {
      const isRefused = !result.success && refusals.includes(result.error.code)
      const isLate = refusals.includes('not_awaiting_approval')
      const why = isLate ? 'a conflicting decision' : 'a decision that cannot be made'
      watch.hold(`I3 ${why} is refused`, isRefused, facts)
    } else if (isRepeated) {
      const isSame = result.success && !isRecorded
      watch.hold('I3 the identical decision again changes nothing', isSame, facts)
    } else {
      watch.hold('I3 the first decision on a call counts', result.success && isRecorded, facts)
    }
  }

  /** Two decisions in the same tick: one counts, and the other is the same or in vain. */
  #checkSecond(
    second: Decision,
    first: Decision,
    result: CommandResult,
    isRecorded: boolean,
  ): void {
    const { watch } = this.#stage
    if (first.refusals.length > 0 || first.isRepeated || second.call !== first.call) return
    // What has its yes and awaits an output can still be dismissed.
    const isDismissal = second.payload.outcome === 'no' && second.call?.tool === 'ask'
    if (isDismissal) return
    // Only the first one says what was shown, where that had changed: by then nothing waits.
    const { fingerprint: _one, ...one } = first.payload
    const { fingerprint: _other, ...other } = second.payload
    const isSame = sameJson(one, other)
    if (isSame) {
      const isHeld = result.success && !isRecorded
      watch.hold('I3 the identical decision again changes nothing', isHeld, result)
    } else {
      // A denial does not wait for what takes its time before it decides anything.
      const isRight = !result.success || this.#overtaken.has(first)
      watch.hold('I3 a conflicting decision is refused', isRight, result)
    }
  }

  /** What a new `yes_always` is said to have approved is what it has. */
  #checkSettled(result: unknown, approved: readonly Call[]): void {
    const { watch } = this.#stage
    const settled = settledOf(result).map((ref) => {
      const entry = this.#hands.entries().find((other) => keyOf(other) === keyOf(ref))
      return entry && this.#hands.callOf(entry)?.uid
    })
    if (settled.length > 0) watch.happened('always, settles what waits')
    const isRight = sameJson(
      settled,
      approved.map(({ uid }) => uid),
    )
    watch.hold('I8 an always says what it settles', isRight, { settled, approved })
  }

  decideSeveral({ decisions: plans, isCareful }: Extract<Move, { do: 'decide several' }>): void {
    const { watch } = this.#stage
    const all = plans.map((plan, index) =>
      this.#decisionOf(isCareful ? { ...plan, which: index } : plan),
    )
    const isFirst = ({ call }: Decision, index: number) =>
      all.findIndex((other) => other.call === call) === index
    const decisions = isCareful
      ? all.filter((one, index) => one.refusals.length === 0 && isFirst(one, index))
      : all
    if (decisions.length === 0) return
    const payload = decisions.map((decision) => decision.payload)
    const clicks = decisions.flatMap(({ click }) => click ?? [])
    const uids = decisions.map(({ call }) => call?.uid)
    const refused = decisions.flatMap(({ refusals, call }, index) =>
      refusals.length > 0 || (call && uids.indexOf(call.uid) < index) ? index : [],
    )
    watch.tell(`decide several: ${JSON.stringify(payload)}`)
    for (const click of clicks) this.#clicks.add(click)
    this.#hands.command('resumeToolCalls', payload, (result, isForeseeable) => {
      const recorded = clicks.filter((click) => !this.#clicks.isOpen(click))
      for (const click of clicks) this.#clicks.remove(click)
      const together = 'I3 of several decisions all count, or none'
      watch.tell(`  several: ${result.success ? 'done' : JSON.stringify(result.error.details)}`)
      if (!result.success) {
        watch.happened(`several, refused: ${result.error.code}`)
        watch.hold(together, recorded.length === 0, { payload, result })
      } else {
        const isStored = result.stored !== false
        if (isStored) for (const click of recorded) this.#clicks.acknowledge(click)
        watch.happened('several')
        const isDone = (decision: Decision) => {
          const { click, call, isRepeated } = decision
          if (!click || !call) return false
          const isSame = isRepeated || this.#clicks.isRepeated(call, click) === true
          return recorded.includes(click) || isSame || isUnclear(decision)
        }
        watch.hold(together, decisions.every(isDone), { payload, result })
      }
      if (!isForeseeable || decisions.some(isUnclear)) return
      watch.hold(together, result.success === (refused.length === 0), { payload, refused, result })
      if (result.success || result.error.code !== 'batch_refused') return
      const errors: unknown = result.error.details['errors']
      const indexes = Array.isArray(errors) ? errors.map(({ index }) => index) : []
      const isNamed = indexes.length > 0 && indexes.every((index) => refused.includes(index))
      watch.hold(together, isNamed, { indexes, refused })
    })
  }

  #decisionOf(plan: DecisionPlan, like?: Decision): Decision {
    const { outcome, edit } = plan
    const target = like
      ? this.#again(like)
      : this.#hands.pick(plan.which, ['awaiting-approval', 'awaiting-output'])
    const reason = REASONS[outcome]
    const { sent, scope } = outcome === 'yes_always' ? this.#scopeOf(plan.scope, like) : noScope
    const isEdited = outcome !== 'no' && edit !== null
    const input = edit === 'invalid' ? NO_INPUT : INPUTS[edit ?? 0]
    const payload: ResumeToolCallPayload = {
      ...(target?.named ?? { toolCallId: 'nobody' }),
      outcome,
      ...(reason === undefined ? {} : { reason }),
      ...(isEdited ? { input } : {}),
      ...(sent === undefined ? {} : { scope: sent as never }),
    }
    const { call, entry } = target ?? {}
    if (!call || !entry) {
      const refusals: EngineErrorCode[] = ['unknown_tool_call', 'invalid_argument']
      return { payload, call: undefined, click: undefined, refusals, isRepeated: false }
    }
    const said: Click = {
      uid: call.uid,
      outcome,
      reason,
      scope,
      sentScope: sent,
      shown: call.input,
      edit: isEdited ? (edit === 'invalid' ? INVALID : edit) : undefined,
    }
    const status = toolCallStatus(entry.part)
    const isOpen =
      status === 'awaiting-approval' || (status === 'awaiting-output' && outcome === 'no')
    // Of a call that nobody was asked about only the answer is known.
    const isPlain = outcome !== 'yes_always' && !isEdited
    const isAnsweredSo = isPlain && entry.part.approval?.approved === (outcome === 'yes')
    const isRepeated = !isOpen && (this.#clicks.isRepeated(call, said) ?? isAnsweredSo)
    const isEditable = TOOLS.get(call.tool)?.isEditable ?? false
    const refusals: EngineErrorCode[] = []
    const isMalformed = outcome === 'yes_always' && typeof plan.scope === 'number'
    if (isMalformed) refusals.push('invalid_argument')
    if (!isOpen && !isRepeated) refusals.push('not_awaiting_approval')
    if (outcome !== 'no' && !isRepeated) {
      if (isEdited && !isEditable) refusals.push('not_editable')
      if (isEdited && edit === 'invalid') refusals.push('invalid_input')
      const isTooWide = scope !== undefined && scope.matches !== 'same' && call.isDestroy
      const isOver = scope !== undefined && scope.until <= this.#stage.now()
      if (isTooWide || isOver) refusals.push('scope_refused')
    }
    return { payload, call, click: said, refusals, isRepeated }
  }

  #scopeOf(plan: ScopePlan | number, like: Decision | undefined): SentScope {
    if (typeof plan === 'number') return { sent: MALFORMED_SCOPES[plan], scope: undefined }
    if (like?.click?.scope) return { sent: like.click.sentScope, scope: like.click.scope }
    const { covers, matches } = COVERS[plan.covers] ?? { covers: undefined, matches: 'all' }
    const { isEverywhere, lasts, uses } = plan
    const until = lasts === null ? Infinity : this.#stage.now() + lasts
    const sent = {
      ...(covers === undefined ? {} : { covers }),
      ...(isEverywhere ? { where: 'everywhere' } : {}),
      ...(lasts === null ? {} : { until }),
      ...(uses === null ? {} : { uses }),
    }
    const isPlain = Object.keys(sent).length === 0
    const scope = { matches, isEverywhere, until, uses: uses ?? Infinity }
    return { sent: isPlain ? undefined : sent, scope }
  }

  /** The call of a decision once more, where it stands now. */
  #again({ call, payload: { toolCallId, messageId } }: Decision): Target | undefined {
    if (!call) return undefined
    const entry = this.#hands.entryOf(call.uid)
    const named = entry ? this.#hands.nameOf(entry, messageId !== undefined) : { toolCallId }
    return { call, named, entry }
  }
}

/** Whether a decision is validated before it counts. */
function takesTime({ payload }: Decision): boolean {
  return payload.outcome === 'yes_always' || payload.input !== undefined
}
