/** What must hold in every turn, whatever happens in which order. */
export const RULES = [
  'a call runs at most once',
  'a call that asks runs only after a yes',
  'a denied call never runs',
  'the first decision on a call wins',
  'no tool starts once its turn is over',
  "with gate 'step' nothing runs before all is decided",
  'no more tools run at a time than may',
  'nothing runs while a turn is paused',
  'a result belongs to its call',
  'callbacks about a call come once',
  'a call moves along the table',
  'a server runs a call at most once, after a yes',
  'every request carries a valid history',
  'the AI SDK accepts the history',
  'a turn makes no more requests than it may',
  'a state moves along the table',
  'a state is the same object while nothing changes',
  'an abort shows at once',
  'nothing is written to an aborted turn',
  'hooks come in order',
  'queued messages are sent in order',
  'queued messages wait after an abort or a failure',
  'every promise settles',
  'the engine comes to rest',
] as const

export type Rule = (typeof RULES)[number]

/** A rule that did not hold, and the facts that show it. */
export class BrokenRule extends Error {
  override readonly name = 'BrokenRule'
  readonly rule: Rule

  constructor(rule: Rule, facts: unknown) {
    super(`${rule}: ${typeof facts === 'string' ? facts : JSON.stringify(facts)}`)
    this.rule = rule
  }
}

/** Holds everything to the rules, and counts how often each had a say. */
export class Rules {
  readonly #checks = new Map<Rule, number>()
  readonly #broken: BrokenRule[] = []

  /** Remembers when a rule does not hold; what is thrown inside of the engine would be caught there. */
  hold(rule: Rule, isHeld: boolean, facts?: unknown): void {
    this.#checks.set(rule, this.checksOf(rule) + 1)
    if (!isHeld) this.#broken.push(new BrokenRule(rule, facts))
  }

  /** Throws the first rule that was broken since the last call. */
  report(): void {
    const [first] = this.#broken.splice(0)
    if (first) throw first
  }

  checksOf(rule: Rule): number {
    return this.#checks.get(rule) ?? 0
  }

  /** Rules that never had a say. */
  get idle(): Rule[] {
    return RULES.filter((rule) => this.checksOf(rule) === 0)
  }

  toString(): string {
    return RULES.map((rule) => `${String(this.checksOf(rule)).padStart(9)}  ${rule}`).join('\n')
  }
}
