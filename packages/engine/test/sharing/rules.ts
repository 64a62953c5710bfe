/** What must hold for the tabs of a conversation, whatever happens in which order. */
export const RULES = [
  'one tab holds the conversation',
  'a call runs at most once',
  'a call that asks runs only after a yes',
  'a call that was denied never runs',
  'the first decision on a call wins',
  'a refusal says why',
  'who sends a message is told what became of it',
  'no decision is lost',
  'what was approved runs once',
  'what has an output ran once',
  'every call has its result',
  'no message is sent twice',
  'all tabs show the same',
  'every promise settles',
  'everything comes to rest',
  'nothing is reported that nobody expects',
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
