/** Runs tasks one after the other within a namespace, and side by side across namespaces. */
export interface NamespaceQueue {
  /** Runs a task when all tasks of its namespace that were added before are over. */
  run<T>(namespace: string, task: () => Promise<T>): Promise<T>
  /** Resolves when all tasks added so far are over, well or not. */
  settled(): Promise<void>
}

export function createNamespaceQueue(): NamespaceQueue {
  const tails = new Map<string, Promise<void>>()

  return {
    run: (namespace, task) => {
      const before = tails.get(namespace)
      const result = before === undefined ? task() : before.then(task)
      // What fails is the caller's to handle; the next task runs anyway.
      const tail = result
        .then(
          () => {},
          () => {},
        )
        .then(() => {
          if (tails.get(namespace) === tail) tails.delete(namespace)
        })
      tails.set(namespace, tail)
      return result
    },
    settled: async () => {
      await Promise.all(tails.values())
    },
  }
}

const queues = new WeakMap<object, NamespaceQueue>()

/** The queue of a backend, so that several storages over the same one keep one order. */
export function queueOf(backend: object): NamespaceQueue {
  const known = queues.get(backend)
  if (known) return known
  const queue = createNamespaceQueue()
  queues.set(backend, queue)
  return queue
}
