import type { LockManagerLike } from './environment.ts'

export interface LockOptions {
  readonly locks: LockManagerLike
  readonly name: string
  /** The lock is had, until what this returns resolves. */
  readonly hold: () => Promise<void>
  /** Another tab has taken it by force. */
  readonly onStolen: () => void
  /** It cannot be asked for here. */
  readonly onRefused: (cause: unknown) => void
}

/** Asks for a lock, in turn. Returns how not to ask any more; a lock that is had stays. */
export function askForLock({ locks, name, hold, onStolen, onRefused }: LockOptions): () => void {
  const controller = new AbortController()
  const { signal } = controller
  let isHad = false
  let isOver = false
  const granted = async (): Promise<void> => {
    if (signal.aborted) return
    isHad = true
    await hold()
    isOver = true
  }
  // What throws at once is as good as what rejects.
  void (async () => locks.request(name, { signal }, granted))().catch((cause: unknown) => {
    if (isHad && !isOver) onStolen()
    else if (!isHad && !signal.aborted) onRefused(cause)
  })
  return () => controller.abort()
}
