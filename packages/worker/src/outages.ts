/** How long models of conversations could not be reached. Known to one worker, and until it ends. */
export interface Outages {
  /** Notes one more attempt that has failed so. */
  note(conversationId: string): Outage
  /** It was reached. */
  end(conversationId: string): void
}

/** Attempts in a row that have failed. */
export interface Outage {
  readonly attempts: number
  readonly forMs: number
}

/** @param now in milliseconds; never goes back */
export function createOutages(now: () => number = () => performance.now()): Outages {
  const since = new Map<string, { attempts: number; readonly from: number }>()
  return {
    note(conversationId) {
      const outage = since.get(conversationId) ?? { attempts: 0, from: now() }
      outage.attempts += 1
      since.set(conversationId, outage)
      return { attempts: outage.attempts, forMs: now() - outage.from }
    },
    end: (conversationId) => void since.delete(conversationId),
  }
}
