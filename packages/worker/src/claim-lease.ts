import type { Schedule } from './schedule.ts'

/** What {@link keepClaim} needs. */
export interface ClaimLeaseOptions {
  /** Extends the lease by so many milliseconds from now; `false` when the claim is another's. */
  readonly heartbeat: (leaseMs: number) => Promise<boolean>
  readonly leaseMs: number
  /** When the claim was asked for, by `performance.now()`: its lease has begun since. */
  readonly askedAt: number
  readonly schedule: Schedule
  /** What `heartbeat` threw: it is tried again. */
  readonly report: (error: unknown) => void
  /** After each time the lease was extended. */
  readonly onBeat: () => void
}

/** The lease of a claim, extended three times within it until it ends. */
export interface ClaimLease {
  /** Aborts when the claim is another's, or may be. */
  readonly lost: AbortSignal
  /** Extends it now; whether it still holds. */
  extend(): Promise<boolean>
  end(): void
}

export function keepClaim({
  heartbeat,
  leaseMs,
  askedAt,
  schedule,
  report,
  onBeat,
}: ClaimLeaseOptions): ClaimLease {
  const lost = new AbortController()
  let expiresAt = askedAt + leaseMs
  let isOver = false
  let cancel = schedule(beat, leaseMs / 3)

  async function extend(): Promise<boolean> {
    try {
      const until = performance.now() + leaseMs
      if (await heartbeat(leaseMs)) expiresAt = until
      else lose()
    } catch (error) {
      report(error)
      // For as long as nobody else can have it.
      if (performance.now() >= expiresAt) lose()
    }
    return !lost.signal.aborted
  }

  function lose(): void {
    lost.abort(new DOMException('Another worker has it now.', 'AbortError'))
  }

  function beat(): void {
    void extend().then((isHeld) => {
      if (isOver || !isHeld) return
      cancel = schedule(beat, leaseMs / 3)
      onBeat()
    })
  }

  return {
    lost: lost.signal,
    extend,
    end() {
      isOver = true
      cancel()
    },
  }
}
