/** What must hold wherever a crash falls, named as in the design's list of invariants. */
export const INVARIANTS = [
  'I1 no call takes effect twice',
  'I1 what took effect is not asked about again',
  'I2 what takes effect was allowed, with this very input',
  'I3 another decision on what was decided is refused',
  'I4 every request carries a valid history',
  'I4 the AI SDK accepts the history',
  'I5 nothing that was denied takes effect',
  'I7 nothing takes effect by what was revoked',
  'I9 a decision that was acknowledged is not asked for again',
  'I9 a message that was stored is there',
  'I9 a pause that is shown is stored',
  'I9 the disk says what the engine says',
  'nothing takes effect after an abort that was acknowledged',
  'the model is told the truth about every call',
  'it ends at rest with an answer to everything',
  'what is reported was to be expected',
] as const

export type Invariant = (typeof INVARIANTS)[number]

/** An invariant that did not hold, and the facts that show it. */
export class BrokenInvariant extends Error {
  override readonly name = 'BrokenInvariant'
  readonly invariant: Invariant

  constructor(invariant: Invariant, facts: unknown, story: readonly string[]) {
    const said = typeof facts === 'string' ? facts : JSON.stringify(facts)
    super(`${invariant}: ${said}\nThe story:\n${story.join('\n')}`)
    this.invariant = invariant
  }
}

/** How often each invariant had a say. */
export class Tally {
  readonly #checks = new Map<Invariant, number>()

  checked(invariant: Invariant): void {
    this.#checks.set(invariant, (this.#checks.get(invariant) ?? 0) + 1)
  }

  /** Invariants that never had a say. */
  get idle(): Invariant[] {
    return INVARIANTS.filter((invariant) => !this.#checks.has(invariant))
  }

  toString(): string {
    return INVARIANTS.map(
      (name) => `${String(this.#checks.get(name) ?? 0).padStart(9)}  ${name}`,
    ).join('\n')
  }
}

/** Holds one play to the invariants, and tells its story when one is broken. */
export class Watch {
  readonly #tally: Tally
  readonly #story: string[] = []
  readonly #broken: BrokenInvariant[] = []

  constructor(tally: Tally) {
    this.#tally = tally
  }

  tell(line: string): void {
    this.#story.push(line)
  }

  /** Remembers what does not hold: what is thrown inside of the engine would be caught there. */
  hold(invariant: Invariant, isHeld: boolean, facts?: unknown): void {
    this.#tally.checked(invariant)
    if (!isHeld) this.#broken.push(new BrokenInvariant(invariant, facts, [...this.#story]))
  }

  /** Throws the first invariant that was broken. */
  report(): void {
    const [first] = this.#broken
    if (first) throw first
  }
}
