/**
 * Where a life ends.
 *
 * - `write` number n of the storage: `before` and `after` it takes effect, at once; `late`, before it
 *   takes effect, when the engine has done all that it does without it; `power`, after it, with all
 *   that the machine had not been made to keep (`durability: 'relaxed'`) lost
 * - `effect` number n of a tool: before it happens, and between it and its result
 * - `request` number n: before and after the server acts on it
 * - `chunk` number n of what the model says: before it comes
 */
export type CrashPoint =
  | { readonly at: 'write'; readonly nth: number; readonly when: WriteCrash }
  | { readonly at: 'effect' | 'request'; readonly nth: number; readonly when: 'before' | 'after' }
  | { readonly at: 'chunk'; readonly nth: number; readonly when: 'before' }

export type WriteCrash = 'before' | 'late' | 'after' | 'power'

/** What a life is counted in. */
export type Countable = CrashPoint['at']

/** What a dead process waits for. One promise for all would hold on to everything that is dead. */
export function never(): Promise<never> {
  return new Promise(() => undefined)
}

/** One run of the app, from its start to its end or crash. Nothing that it does after that counts. */
export class Life {
  readonly number: number
  readonly counts: Record<Countable, number> = { write: 0, effect: 0, request: 0, chunk: 0 }
  /** The numbers of the writes that a crash of the machine may take. */
  readonly relaxedWrites: number[] = []
  isDead = false
  /** A write hangs, and with it all that follows; the end comes when nothing else happens any more. */
  isHung = false
  #point: CrashPoint | undefined

  constructor(number: number, point?: CrashPoint) {
    this.number = number
    this.#point = point
  }

  get point(): CrashPoint | undefined {
    return this.#point
  }

  /** It ends at a point whose number is counted from now on. */
  arm(point: CrashPoint): void {
    this.#point = { ...point, nth: this.counts[point.at] + point.nth }
  }

  /** Whether what the machine had not been made to keep is lost with it. */
  get isPowerLost(): boolean {
    return this.#point?.when === 'power'
  }

  /** How much has happened: what stands still is waiting for something. */
  get activity(): number {
    const { write, effect, request, chunk } = this.counts
    return write + effect + request + chunk
  }

  /** Whether the write that was counted last hangs. */
  hangs(): boolean {
    const { point, counts } = this
    this.isHung ||= point?.at === 'write' && point.when === 'late' && point.nth === counts.write
    return this.isHung
  }

  /** Whether the life ends here, in the event that was counted last. */
  strikes<AT extends Countable>(at: AT, when: (CrashPoint & { at: AT })['when']): boolean {
    const { point } = this
    if (this.isDead || point?.at !== at || point.when !== when) return false
    if (point.nth !== this.counts[at]) return false
    this.isDead = true
    return true
  }
}
