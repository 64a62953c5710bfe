import { isEqualJson } from '../../src/message/json-equality.ts'
import type { Watch } from './invariants.ts'
import { baseOf, inputOf, type Answer } from './turn-script.ts'

/** Something that a tool did to the world. */
interface Effect {
  readonly base: string
  readonly tool: string
  readonly input: unknown
}

/** What a person said about a call, in one life of the app. */
export interface Decision {
  readonly id: string
  readonly base: string
  readonly tool: string
  readonly answer: Answer
  readonly life: number
  /** The app said that it was done, and that it is kept. */
  isAcknowledged: boolean
}

const ASKED: readonly string[] = ['write', 'mail', 'put', 'charge', 'deploy']

/** What was done and said, noted outside of the app: no crash takes anything from it. */
export class Ledger {
  readonly effects: Effect[] = []
  readonly decisions: Decision[] = []
  /** Of calls that were approved together with another one, when that was acknowledged. */
  readonly settled = new Set<string>()
  /** The person has taken the always back, and that was acknowledged. */
  isRevoked = false
  /** Decisions from this number on were made after the person had ended the turn. */
  #validFrom = 0
  readonly #watch: Watch

  constructor(watch: Watch) {
    this.#watch = watch
  }

  /** A tool does something, here or on a server. */
  effect(toolCallId: string, tool: string, input: unknown): void {
    const watch = this.#watch
    const base = baseOf(toolCallId)
    watch.tell(`${toolCallId} TAKES EFFECT: ${tool}(${JSON.stringify(input)})`)
    const isFirst = this.effectsOf(base).length === 0
    watch.hold('I1 no call takes effect twice', isFirst || tool === 'put', toolCallId)
    this.effects.push({ base, tool, input })
    const isAfterAbort = this.#validFrom > 0
    const isAnew = this.decisions.slice(this.#validFrom).some((one) => one.id === toolCallId)
    watch.hold(
      'nothing takes effect after an abort that was acknowledged',
      !isAfterAbort || isAnew,
      toolCallId,
    )
    const decision = this.decisionOn(base)
    const denied = this.decisions.find(
      (one) => one.id === toolCallId && one.isAcknowledged && isNo(one.answer),
    )
    watch.hold('I5 nothing that was denied takes effect', !denied, toolCallId)
    if (!ASKED.includes(tool)) {
      const isSame = isEqualJson(input, inputOf(base))
      return watch.hold('I2 what takes effect was allowed, with this very input', isSame, base)
    }
    const always = this.decisions.find(
      (one) => one.tool === tool && 'outcome' in one.answer && one.answer.outcome === 'yes_always',
    )
    if (!decision && always) {
      watch.hold('I7 nothing takes effect by what was revoked', !this.isRevoked, toolCallId)
    }
    const standing = decision ? this.#standing(base) : always ? [always] : []
    const isAllowed = standing.some(({ answer }) => {
      const wanted = (decision && editOf(answer)) ?? inputOf(base)
      return !isNo(answer) && isEqualJson(input, wanted)
    })
    const facts = { toolCallId, input, decision, always }
    watch.hold('I2 what takes effect was allowed, with this very input', isAllowed, facts)
  }

  /** The person has ended the turn, and that was acknowledged. */
  aborted(): void {
    this.#validFrom = this.decisions.length
  }

  effectsOf(base: string): readonly Effect[] {
    return this.effects.filter((effect) => effect.base === base)
  }

  /** What may stand of what was said about a call: any of it since the last that was acknowledged. */
  #standing(base: string): readonly Decision[] {
    const said = this.decisions.filter((decision) => decision.base === base)
    const last = said.findLastIndex(({ isAcknowledged }) => isAcknowledged)
    return said.slice(Math.max(0, last))
  }

  /** What was said last about a call. */
  decisionOn(base: string): Decision | undefined {
    return this.decisions.findLast((decision) => decision.base === base)
  }
}

export function isNo(answer: Answer): boolean {
  return 'outcome' in answer && answer.outcome === 'no'
}

function editOf(answer: Answer): unknown {
  return 'input' in answer ? answer.input : undefined
}
