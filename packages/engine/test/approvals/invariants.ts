/** What must hold in every play, named as in the design's list of invariants. */
export const INVARIANTS = [
  'I1 a call runs at most once',
  'I2 what runs is what was decided',
  'I2 a decision is bound to its call and input',
  'I2 what was let run does run, and what is to be asked is asked',
  'I2 rules are asked about the input that is to run',
  'I2 what was changed after a yes is asked about again',
  'I3 the first decision on a call counts',
  'I3 the identical decision again changes nothing',
  'I3 a conflicting decision is refused',
  'I3 a decision that cannot be made is refused',
  'I3 of several decisions all count, or none',
  'I3 an answer or a cancellation is the result',
  'I4 every call in a request has its one result, in order',
  'I5 a denied call never runs',
  'I5 a denied call never runs after a restart',
  'I6 a deny of a rule beats a yes and a policy',
  'I6 rules are asked again after a person was',
  'I6 no policy beats a failed check',
  'I6 only the exact input covers what destroys',
  'I7 what was revoked covers nothing that has not started',
  'I7 what has expired covers nothing that has not started',
  'I7 what is void, used up or meant elsewhere covers nothing',
  'I7 a revocation asks again at once',
  'I8 an automatic yes names its policy and the click behind it',
  'I8 an always says what it settles',
  'I8 policies are those of the history',
  'I10 a turn makes no more requests than it may',
  'I10 the play comes to rest',
] as const

export type Invariant = (typeof INVARIANTS)[number]

/** An invariant that did not hold, and the facts that show it. */
export class BrokenInvariant extends Error {
  override readonly name = 'BrokenInvariant'
  readonly invariant: Invariant

  constructor(invariant: Invariant, facts: unknown, story: readonly string[]) {
    const said = typeof facts === 'string' ? facts : JSON.stringify(facts)
    super(`${invariant}: ${said}\nThe play:\n${story.join('\n')}`)
    this.invariant = invariant
  }
}

/** How often each invariant had a say, and in how many plays each kind of move was accepted. */
export class Tally {
  readonly #checks = new Map<Invariant, number>()
  readonly #plays = new Map<string, number>()

  checked(invariant: Invariant): void {
    this.#checks.set(invariant, (this.#checks.get(invariant) ?? 0) + 1)
  }

  played(moves: Iterable<string>): void {
    for (const move of moves) this.#plays.set(move, (this.#plays.get(move) ?? 0) + 1)
  }

  /** Of what is expected, invariants and moves, what never happened. */
  idle(moves: readonly string[]): string[] {
    const isIdle = (counts: ReadonlyMap<string, number>) => (name: string) => !counts.has(name)
    return [...INVARIANTS.filter(isIdle(this.#checks)), ...moves.filter(isIdle(this.#plays))]
  }

  toString(): string {
    const line = ([name, count]: readonly [string, number]) =>
      `${String(count).padStart(9)}  ${name}`
    const checks = INVARIANTS.map((name) => line([name, this.#checks.get(name) ?? 0]))
    const plays = [...this.#plays].sort(([one], [other]) => (one < other ? -1 : 1)).map(line)
    return [...checks, 'Plays in which it happened:', ...plays].join('\n')
  }
}

/** Holds one play to the invariants, and tells its story when one is broken. */
export class Watch {
  readonly #tally: Tally
  readonly #story: string[] = []
  readonly #broken: BrokenInvariant[] = []
  readonly #moves = new Set<string>()

  constructor(tally: Tally) {
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
  hold(invariant: Invariant, isHeld: boolean, facts?: unknown): void {
    this.#tally.checked(invariant)
    if (!isHeld) this.#broken.push(new BrokenInvariant(invariant, facts, [...this.#story]))
  }

  /** Throws the first that was broken. */
  report(): void {
    const [first] = this.#broken.splice(0)
    if (first) throw first
  }

  end(): void {
    this.#tally.played(this.#moves)
  }
}
