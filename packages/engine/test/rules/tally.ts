/** How often each rule had a say, and in how many plays each kind of move was made. */
export class Tally<RULE extends string> {
  readonly #rules: readonly RULE[]
  readonly #checks = new Map<string, number>()
  readonly #plays = new Map<string, number>()

  constructor(rules: readonly RULE[]) {
    this.#rules = rules
  }

  checked(rule: RULE): void {
    this.#checks.set(rule, (this.#checks.get(rule) ?? 0) + 1)
  }

  played(moves: Iterable<string>): void {
    for (const move of moves) this.#plays.set(move, (this.#plays.get(move) ?? 0) + 1)
  }

  /** Of what is expected, rules and moves, what never happened. */
  idle(moves: readonly string[] = []): string[] {
    const isIdle = (counts: ReadonlyMap<string, number>) => (name: string) => !counts.has(name)
    return [...this.#rules.filter(isIdle(this.#checks)), ...moves.filter(isIdle(this.#plays))]
  }

  toString(): string {
    const line = ([name, count]: readonly [string, number]) =>
      `${String(count).padStart(9)}  ${name}`
    const checks = this.#rules.map((name) => line([name, this.#checks.get(name) ?? 0]))
    if (this.#plays.size === 0) return checks.join('\n')
    const plays = [...this.#plays].sort(([one], [other]) => (one < other ? -1 : 1)).map(line)
    return [...checks, 'Plays in which it happened:', ...plays].join('\n')
  }
}
