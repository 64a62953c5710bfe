import type { AssentDatabase } from './open-database.ts'
import type { FoundRecords, Looking } from './record-queries.ts'
import { storeOf } from './store-of.ts'

/**
 * The order in which the calls for a namespace take effect. One is made in the very tick of the call, unless a
 * long read of its namespace goes on: what was called after that is made after it.
 */
export interface RecordOrder {
  read(namespace: string, look: () => Looking): Promise<FoundRecords>
  write<T>(namespace: string, write: () => Promise<T>): Promise<T>
  /** The same for a write into any namespaces. */
  writeAll<T>(write: () => Promise<T>): Promise<T>
}

const orders = new WeakMap<object, RecordOrder>()

/** One for each file: all who have it open in this process keep one order. */
export function recordOrder(database: AssentDatabase): RecordOrder {
  const store = storeOf(database)
  const order = orders.get(store) ?? createOrder()
  orders.set(store, order)
  return order
}

function createOrder(): RecordOrder {
  /** What others wait for, by namespace. */
  const tails = new Map<string, Promise<unknown>>()

  function wait<T>(namespace: string, result: Promise<T>): Promise<T> {
    const tail = result
      .catch(() => undefined)
      .then(() => {
        if (tails.get(namespace) === tail) tails.delete(namespace)
      })
    tails.set(namespace, tail)
    return result
  }

  function after<T>(namespace: string, call: () => Promise<T>): Promise<T> | undefined {
    const before = tails.get(namespace)
    return before && wait(namespace, before.then(call))
  }

  return {
    read(namespace, look) {
      const late = after(namespace, () => look().found)
      if (late) return late
      const { found, isLong } = look()
      return isLong ? wait(namespace, found) : found
    },
    write: (namespace, write) => after(namespace, write) ?? write(),
    writeAll(write) {
      if (tails.size === 0) return write()
      const all = Promise.all(tails.values()).then(write)
      for (const namespace of tails.keys()) void wait(namespace, all)
      return all
    },
  }
}
