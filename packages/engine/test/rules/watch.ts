import { BrokenRule } from '../../src/testing/broken-rule.ts'
import type { Tally } from './tally.ts'

/** Holds what happens to rules, and tells the story when one is broken. */
export class Watch<RULE extends string> {
  readonly #tally: Tally<RULE>
  readonly #story: string[] = []
  readonly #broken: BrokenRule<RULE>[] = []
  readonly #moves = new Set<string>()

  constructor(tally: Tally<RULE>) {
    this.#tally = tally
  }

  tell(line: string): void {
    this.#story.push(`  ${line}`)
  }

  /** A move, or what came of it, that is counted once per play. */
  happened(what: string): void {
    this.#moves.add(what)
  }

  /** Remembers when it does not hold: what is thrown inside of the engine would be caught there. */
  hold(rule: RULE, isHeld: boolean, facts?: unknown): void {
    this.#tally.checked(rule)
    if (!isHeld) this.#broken.push(new BrokenRule(rule, facts, [...this.#story]))
  }

  /** Throws the first rule that was broken since the last call. */
  report(): void {
    const [first] = this.#broken.splice(0)
    if (first) throw first
  }

  /** The play is over. */
  end(): void {
    this.#tally.played(this.#moves)
  }
}
