import { DecisionModel, type Call, type RuleAnswer } from '../decision-model.ts'
import type { ApprovalInvariant } from './invariants.ts'
import { PageSite } from './page-site.ts'
import { randomFrom, type Random } from './random.ts'
import { call, no, yes, type Scenario, type Site, type SiteDecision } from './site.ts'
import type { SentCall } from './world.ts'

const WAITS = 'what was let run does run, and what is to be asked waits'
const PATHS = ['/a', '/b', '/c']
const TURNS = 6
const MOST_MOVES = 8

/** What a rule says, and how the reference knows that. */
const RULES: readonly (readonly [says: unknown, answer: RuleAnswer])[] = [
  [undefined, 'ask'],
  ['user-approval', 'ask'],
  ['user-approval', 'ask'],
  [true, 'fail'],
  [
    () => {
      throw new Error('The rule is broken.')
    },
    'fail',
  ],
  ['approved', 'allow'],
  ['denied', 'deny'],
]

/** Random plays, each of which is the same whenever it is played. */
export function plays(count: number, seed: number): readonly Scenario[] {
  return Array.from({ length: count }, (_, index): Scenario => ({
    keeps: 'nothing runs without a yes',
    name: `keeps to the reference in random play ${seed + index}`,
    act: (site) => new Play(site, randomFrom(seed + index)).act(),
  }))
}

/** A person, a model and rules that do anything, and the reference that says what may come of it. */
class Play {
  readonly #site: Site
  readonly #random: Random
  readonly #model = new DecisionModel(() => 0)
  readonly #broken: [ApprovalInvariant, unknown][] = []
  #count = 0

  constructor(site: Site, random: Random) {
    this.#site = site
    this.#random = random
    site.world.onEffect = (effect) => this.#ran(effect)
  }

  async act(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn++) {
      await this.#send()
      for (let moves = this.#random.below(MOST_MOVES); moves > 0; moves--) await this.#move()
      // What still waits is decided.
      for (const id of this.#site.waiting()) await this.#decide(id, this.#random.below(2) > 0)
      this.#rests()
      // A rule that fails again asks again.
      for (const id of this.#site.waiting()) await this.#decide(id, false)
      this.#rests()
    }
  }

  async #send(): Promise<void> {
    const calls = Array.from({ length: 1 + this.#random.below(3) }, () => {
      const sent = call(
        `call-${++this.#count}`,
        this.#random.of(PATHS),
        this.#random.of(['write', 'write', 'note']),
      )
      this.#model.called({
        uid: sent.toolCallId,
        tool: sent.toolName,
        input: PATHS.indexOf(sent.input.path),
        isGuarded: false,
        isDestroy: false,
        expiresAt: Infinity,
        isNever: false,
      })
      this.#rule(sent.toolCallId)
      return sent
    })
    await this.#site.send(...calls)
    this.#rests()
  }

  async #move(): Promise<void> {
    const waiting = this.#site.waiting()
    const id = waiting[this.#random.below(waiting.length)]
    const moves: (() => Promise<void>)[] = Object.entries(this.#site.attacks).map(
      ([name, attack]) =>
        async () => {
          this.#site.world.tell(name)
          await attack(id ?? `call-${this.#count}`)
        },
    )
    if (id !== undefined) {
      moves.push(
        () => this.#decide(id, true),
        () => this.#decide(id, true),
        () => this.#decide(id, false),
        async () => this.#rule(id),
      )
    }
    if (this.#site instanceof PageSite) moves.push(...this.#pageMoves(this.#site, id))
    await this.#random.of(moves)()
    this.#rests()
  }

  #pageMoves(site: PageSite, id: string | undefined): (() => Promise<void>)[] {
    const stop = (how: 'abort' | 'stopAll') => async () => {
      this.#endTurn()
      if (how === 'stopAll') this.#endPermissions()
      await site[how]()
    }
    const always = async (toolCallId: string) => {
      const matches = this.#random.of(['all', 'same'] as const)
      const scope = { matches, isEverywhere: false, until: Infinity, uses: Infinity }
      const { input } = this.#callOf(toolCallId)
      const answer = {
        id: `always ${this.#model.policies.size}`,
        outcome: 'yes_always',
        input,
        scope,
      } as const
      this.#model.answered(this.#callOf(toolCallId), answer)
      const covers = matches === 'all' ? 'tool' : 'input'
      await site.decide({ toolCallId, outcome: 'yes_always', scope: { covers } })
    }
    const edit = async (toolCallId: string) => {
      const input = this.#random.below(PATHS.length)
      this.#answered(yes(toolCallId), input)
      const path = PATHS[input] ?? ''
      await site.decide({ toolCallId, outcome: 'yes', input: { path } })
    }
    const both = async (toolCallId: string) => {
      const [first, second] = this.#random.of([
        [no, yes],
        [yes, no],
      ] as const)
      this.#answered(first(toolCallId))
      await site.decide(first(toolCallId), second(toolCallId))
    }
    return [
      stop('abort'),
      stop('stopAll'),
      () => {
        this.#endPermissions()
        return site.revokeAll()
      },
      ...(id === undefined
        ? []
        : [() => always(id), () => always(id), () => edit(id), () => both(id)]),
    ]
  }

  async #decide(id: string, isYes: boolean): Promise<void> {
    // A permission that came meanwhile may have settled it.
    if (!this.#site.waiting().includes(id)) return
    const decision = isYes ? yes(id) : no(id)
    this.#answered(decision)
    await this.#site.decide(decision)
  }

  /** From now on this is what counts. */
  #answered({ toolCallId: id, outcome }: SiteDecision, input = this.#callOf(id).input): void {
    this.#model.answered(this.#callOf(id), { id, outcome, input, scope: undefined })
  }

  /** The rules change their mind about a call. */
  #rule(id: string): void {
    const [says, answer] = this.#random.of(RULES)
    this.#site.world.tell(`the rules say ${JSON.stringify(says)} of ${id} (${answer})`)
    this.#site.world.rule(id, says)
    this.#model.ruled(id, answer)
  }

  #endPermissions(): void {
    for (const policy of this.#model.policies.values()) policy.isRevoked = true
  }

  /** A tool takes effect: may it? */
  #ran({ toolCallId, toolName, input }: SentCall): void {
    const one = this.#callOf(toolCallId)
    const { says, by } = this.#model.verdict(one)
    const isFirst = !one.isStarted
    one.isStarted = true
    const isIt = toolName === one.tool && input.path === PATHS[one.input]
    const facts = { toolCallId, input, says, by }
    if (one.isOver) this.#broken.push(['nothing runs once it was stopped', facts])
    else if (!isFirst) this.#broken.push(['a yes runs its call once', facts])
    else if (says === 'ask') this.#broken.push(['nothing runs without a yes', facts])
    else if (says === 'deny' && by === 'rule')
      this.#broken.push(["a rule's deny beats a yes", facts])
    else if (says === 'deny') this.#broken.push(['a no is final', facts])
    else if (!isIt) this.#broken.push(['what runs is what was approved', facts])
  }

  /** Holds what came of everything to the reference. */
  #rests(): void {
    const { world } = this.#site
    for (const [invariant, facts] of this.#broken) world.hold(invariant, false, facts)
    const waiting = this.#site.waiting()
    for (const one of this.#model.calls.values()) {
      const isWaiting = waiting.includes(one.uid)
      const isDue = !isWaiting || one.isAsked || this.#model.asked(one)
      const { says } = this.#model.verdict(one)
      // While one of its step waits nothing need run; and nothing must of which a rule fails again.
      const isLet = says === 'deny' || one.rule === 'fail' || (says === 'run' && waiting.length > 0)
      const isDone = one.isOver || one.isStarted
      const isRight = isDone ? !isWaiting : isWaiting ? isDue : isLet
      const facts = { call: one.uid, says, waiting }
      world.hold(WAITS, isRight, facts)
    }
    if (waiting.length === 0) this.#endTurn()
  }

  #endTurn(): void {
    for (const { uid } of this.#model.calls.values()) this.#model.settled(uid, false)
  }

  #callOf(id: string): Call {
    const found = this.#model.calls.get(id)
    if (!found) throw new Error(`Nobody called ${id}.`)
    return found
  }
}
