/** Tells somebody who waits that something has changed, until nothing will any more. */
export interface Waker {
  wake(): void
  end(): void
  /**
   * Whether there was a change since the last time; `false` once it is over.
   *
   * @param waitMs the least time to wait
   */
  next(waitMs: number): Promise<boolean>
}

export function createWaker(): Waker {
  let state: 'quiet' | 'changed' | 'over' = 'quiet'
  let waiting: (() => void) | undefined

  function become(next: 'changed' | 'over'): void {
    if (state !== 'over') state = next
    waiting?.()
  }

  async function next(waitMs: number): Promise<boolean> {
    const soonest = performance.now() + waitMs
    for (let left = waitMs; state !== 'over'; left = soonest - performance.now()) {
      if (state === 'changed' && left <= 0) {
        state = 'quiet'
        return true
      }
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting = resolve
      const timer = state === 'changed' ? setTimeout(resolve, left) : undefined
      await promise
      clearTimeout(timer)
    }
    return false
  }

  return { wake: () => become('changed'), end: () => become('over'), next }
}
