/** What must hold for an inbox, whatever happens in which order. */
export const RULES = [
  'one task of a conversation is held at a time, the oldest that is not over',
  'what can be given out is, and nothing else',
  'a claim that was lost changes nothing',
  'what waits for a person is not given out',
  'answers are shown until they are dealt with',
  'attempts are bounded',
  'what may end its worker runs alone',
  'it is known when something can be given out again',
  'nothing is lost: every task is as the reference has it',
] as const

export type Rule = (typeof RULES)[number]

/** A rule that did not hold, and what was done until then. */
export class BrokenRule extends Error {
  override readonly name = 'BrokenRule'
  readonly rule: Rule

  constructor(rule: Rule, facts: unknown, story: readonly string[]) {
    super([`${rule}: ${JSON.stringify(facts)}`, ...story].join('\n'))
    this.rule = rule
  }
}

/** Holds plays to the rules, and counts how often each had a say. */
export class Referee {
  readonly #counts = new Map<Rule, number>()
  #story: string[] = []

  begin(): void {
    this.#story = []
  }

  tell(line: string): void {
    this.#story.push(line)
  }

  hold(rule: Rule, isHeld: boolean, facts?: unknown): void {
    this.#counts.set(rule, (this.#counts.get(rule) ?? 0) + 1)
    if (!isHeld) throw new BrokenRule(rule, facts, this.#story)
  }

  /** Rules that never had a say. */
  idle(): Rule[] {
    return RULES.filter((rule) => !this.#counts.has(rule))
  }

  toString(): string {
    return RULES.map((rule) => `${String(this.#counts.get(rule) ?? 0).padStart(9)}  ${rule}`).join(
      '\n',
    )
  }
}
