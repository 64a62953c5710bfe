/** A source of numbers that looks random, and is the same every time. */
export interface Random {
  /** A whole number from 0, less than this. */
  below(end: number): number
  /** One of several. */
  of<VALUE>(values: readonly VALUE[]): VALUE
}

/** Mulberry32: small, and good enough for plays. */
export function randomFrom(seed: number): Random {
  let state = seed
  const below = (end: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end)
  }
  return {
    below,
    of(values) {
      const index = below(values.length)
      if (index in values) return values[index] as (typeof values)[number]
      throw new Error('There is nothing to choose from.')
    },
  }
}
