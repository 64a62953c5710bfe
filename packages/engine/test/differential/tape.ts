type Defined = NonNullable<unknown> | null

/** A list of numbers that decides everything that is left to chance, so that chance can shrink. */
export class Tape {
  readonly #numbers: readonly number[]
  #at = 0

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#numbers.length
  }

  /** One of the options, of which there must be one. */
  pick<T extends Defined>(options: readonly T[]): T {
    const option = options[this.#next() % options.length]
    if (option === undefined) throw new RangeError('There is nothing to pick from.')
    return option
  }

  /** `true` once in `n` times. */
  once(n: number): boolean {
    return this.#next() % n === 1
  }

  /** A whole number from 1 to `max`. */
  count(max: number): number {
    return 1 + (this.#next() % max)
  }

  #next(): number {
    return this.#numbers[this.#at++] ?? 0
  }
}
