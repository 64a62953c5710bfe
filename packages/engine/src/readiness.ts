import { EngineError } from './errors.ts'

/** Whether an engine has been initialised, and everything that waits for that. */
export interface Readiness {
  /** Resolves when the engine is ready or was disposed. Never rejects. */
  readonly ready: Promise<void>
  /**
   * `undefined` once the engine is ready; what waits before that goes on in order. Throws or rejects
   * with `disposed`, and with the error of {@link Readiness.giveUp}.
   */
  wait(): Promise<void> | undefined
  /** Throws `disposed`, and `busy` until the engine is ready. */
  assertReady(): void
  /** Throws `disposed`. */
  assertNotDisposed(): void
  /** Lets everything go that waits now. */
  giveUp(error: EngineError): void
  dispose(): void
}

/** @param initialising settles when the engine is ready; `undefined` when it is so at once */
export function createReadiness(initialising: Promise<unknown> | undefined): Readiness {
  let isReady = initialising === undefined
  let isDisposed = false
  let waiting: PromiseWithResolvers<void>[] = []
  const ready = Promise.withResolvers<void>()
  if (isReady) ready.resolve()
  else void initialising?.then(open)

  function open(): void {
    isReady = true
    // Those that wait go first: what is called by somebody who awaited `ready` comes after them.
    for (const { resolve } of takeWaiting()) resolve()
    ready.resolve()
  }

  function takeWaiting(): PromiseWithResolvers<void>[] {
    const taken = waiting
    waiting = []
    return taken
  }

  function disposed(): EngineError {
    return new EngineError('disposed', 'The engine was disposed; create another one.')
  }

  function assertNotDisposed(): void {
    if (isDisposed) throw disposed()
  }

  function giveUp(error: EngineError): void {
    for (const { reject } of takeWaiting()) reject(error)
  }

  return {
    ready: ready.promise,
    assertNotDisposed,
    giveUp,
    assertReady() {
      assertNotDisposed()
      if (isReady) return
      const text = 'The conversation is still being restored; await `ready`.'
      throw new EngineError('busy', text, { retryable: true })
    },
    wait() {
      assertNotDisposed()
      if (isReady) return undefined
      const turn = Promise.withResolvers<void>()
      waiting.push(turn)
      return turn.promise
    },
    dispose() {
      isDisposed = true
      giveUp(disposed())
      ready.resolve()
    },
  }
}
