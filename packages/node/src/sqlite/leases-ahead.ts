/** Tells which leases are over that were given by a clock that was ahead of what it is now. */
export interface LeasesAhead {
  /**
   * Whether nobody has extended a lease for as long as it lasts, while this was asked again and again. Only of one that was
   * given at a time that is still to come: any other one ends by the clock.
   *
   * @param now the clock that it was given by. Milliseconds since the epoch
   */
  isOver(name: string, lease: GivenLease, now: number): boolean
}

export interface GivenLease {
  readonly expiresAt: number
  /** How long it lasts; `undefined` when that was not noted. */
  readonly leaseMs: number | undefined
}

/** @param elapsed milliseconds; never goes back. Default `performance.now` */
export function leasesAhead(elapsed: () => number = () => performance.now()): LeasesAhead {
  const seen = new Map<string, { readonly expiresAt: number; readonly at: number }>()
  return {
    isOver(name, { expiresAt, leaseMs }, now) {
      if (leaseMs === undefined || expiresAt - leaseMs <= now) {
        seen.delete(name)
        return false
      }
      const first = seen.get(name)
      if (first?.expiresAt !== expiresAt) {
        seen.set(name, { expiresAt, at: elapsed() })
        return false
      }
      // Whoever lives extends it three times within that.
      const isOver = elapsed() - first.at >= leaseMs
      if (isOver) seen.delete(name)
      return isOver
    },
  }
}
