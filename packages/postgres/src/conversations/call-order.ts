/** The order in which calls take effect, though each may have a connection of its own. */
export interface CallOrder {
  /** Runs a task when those of its namespace before it are over. */
  within<T>(namespace: string, task: () => Promise<T>): Promise<T>
  /** Runs a task when all before it are over. */
  afterAll<T>(task: () => Promise<T>): Promise<T>
  /** The same, and all after it wait for it. */
  alone<T>(task: () => Promise<T>): Promise<T>
}

export function createCallOrder(): CallOrder {
  const tails = new Map<string, Promise<void>>()
  let barrier: Promise<void> | undefined

  /** What fails is the caller's to handle; the next task runs anyway. */
  const overOf = (result: Promise<unknown>): Promise<void> =>
    result.then(
      () => undefined,
      () => undefined,
    )

  const all = (): Promise<unknown> => Promise.all([barrier, ...tails.values()])

  return {
    within(namespace, task) {
      const before = tails.get(namespace) ?? barrier
      const result = before ? before.then(task) : task()
      const tail = overOf(result).then(() => {
        if (tails.get(namespace) === tail) tails.delete(namespace)
      })
      tails.set(namespace, tail)
      return result
    },
    afterAll: (task) => all().then(task),
    alone(task) {
      const result = all().then(task)
      const over = overOf(result).then(() => {
        if (barrier === over) barrier = undefined
      })
      barrier = over
      // They are over before it is.
      tails.clear()
      return result
    },
  }
}
