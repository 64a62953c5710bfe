/** Says whether one more request is allowed now. */
export interface RateLimit {
  /**
   * Takes one request of somebody's allowance.
   *
   * @returns 0 when it is allowed, else how many milliseconds to wait before the next try
   */
  take(key: string): number | PromiseLike<number>
}

/** Options of {@link tokenBucket}. */
export interface TokenBucketOptions {
  /** How many requests are allowed at once. Default 60. */
  readonly capacity?: number
  /** How many come back in a minute. Default 120. */
  readonly perMinute?: number
  /** How many keys are remembered; who has not asked for longest is forgotten. Default 10,000. */
  readonly maxKeys?: number
  readonly now?: () => number
}

/**
 * Allows each key `capacity` requests at once and `perMinute` in the long run, in the memory of this
 * process.
 *
 * @throws RangeError for a number that is not positive
 */
export function tokenBucket({
  capacity = 60,
  perMinute = 120,
  maxKeys = 10_000,
  now = Date.now,
}: TokenBucketOptions = {}): RateLimit {
  for (const [name, value] of Object.entries({ capacity, perMinute, maxKeys })) {
    if (!(value > 0)) throw new RangeError(`${name} must be a positive number, not ${value}.`)
  }
  const perMs = perMinute / 60_000
  const buckets = new Map<string, { tokens: number; at: number }>()
  return {
    take(key) {
      const at = now()
      const bucket = buckets.get(key)
      const passed = bucket ? Math.max(0, at - bucket.at) : 0
      const tokens = Math.min(capacity, (bucket?.tokens ?? capacity) + passed * perMs)
      const isAllowed = tokens >= 1
      // To the end of the map, so that its beginning is who has not asked for longest.
      buckets.delete(key)
      buckets.set(key, { tokens: isAllowed ? tokens - 1 : tokens, at })
      const [oldest] = buckets.keys()
      if (buckets.size > maxKeys && oldest !== undefined) buckets.delete(oldest)
      return isAllowed ? 0 : Math.ceil((1 - tokens) / perMs)
    },
  }
}
