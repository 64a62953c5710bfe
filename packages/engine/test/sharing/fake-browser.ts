import type { ChannelLike, LockManagerLike } from '../../src/sharing/environment.ts'
import type { ConversationStorage } from '../../src/storage/storage.ts'

/** When the next thing of an asynchronous world happens. */
export type Delay = (what: string) => Promise<unknown>

/** The next task. */
export const soon: Delay = () => new Promise((resolve) => setImmediate(resolve))

/** A tab of a {@link FakeBrowser}. */
export interface FakeTab {
  readonly name: string
  readonly isAlive: boolean
  readonly locks: LockManagerLike
  readonly channel: (name: string) => ChannelLike
  /** How many messages it has posted. */
  readonly posted: readonly unknown[]
  /** Ends it as a crash does: nothing of it has any effect from now on. */
  kill(): void
  /** Takes a lock by force and keeps it until it is released. */
  steal(name: string): () => void
  /** What this tab reaches of a store. */
  disk(storage: ConversationStorage): ConversationStorage
  /** What never comes any more when the tab has died. */
  living<RESULT>(result: Promise<RESULT>): Promise<RESULT>
}

/** Tabs of one origin: their locks, channels and stores, whose answers come when `delay` says. */
export interface FakeBrowser {
  open(): FakeTab
  /** Messages that are still on their way. */
  readonly underWay: number
}

interface LockRequest {
  readonly tab: FakeTab
  readonly callback: () => Promise<void>
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

interface OpenChannel {
  readonly tab: FakeTab
  readonly name: string
  readonly listeners: ((event: { data: unknown }) => void)[]
  /** By sender: what it has sent arrives in order. */
  readonly arrivals: Map<FakeTab, Promise<unknown>>
}

/** @param loses whether a message of a tab that died before it arrived is lost */
export function fakeBrowser(delay: Delay, loses: () => boolean = () => false): FakeBrowser {
  const waiting = new Map<string, LockRequest[]>()
  const held = new Map<string, LockRequest>()
  const channels = new Set<OpenChannel>()
  let tabs = 0
  let underWay = 0

  async function grantNext(name: string): Promise<void> {
    if (held.has(name)) return
    const next = waiting.get(name)?.shift()
    if (!next) return
    held.set(name, next)
    await delay(`lock of ${next.tab.name}`)
    if (held.get(name) !== next) return
    await next.callback()
    if (held.get(name) !== next) return
    held.delete(name)
    next.resolve()
    void grantNext(name)
  }

  function queueOf(name: string): LockRequest[] {
    const queue = waiting.get(name) ?? []
    waiting.set(name, queue)
    return queue
  }

  async function deliver(from: FakeTab, to: OpenChannel, data: unknown): Promise<void> {
    underWay++
    await delay(`message ${from.name} → ${to.tab.name}`)
    underWay--
    if (!to.tab.isAlive || !channels.has(to) || (!from.isAlive && loses())) return
    for (const listener of to.listeners) listener({ data: structuredClone(data) })
  }

  function openChannel(tab: FakeTab, name: string, posted: unknown[]): ChannelLike {
    const opened: OpenChannel = { tab, name, listeners: [], arrivals: new Map() }
    channels.add(opened)
    return {
      postMessage(message) {
        const data: unknown = structuredClone(message)
        if (!tab.isAlive || !channels.has(opened)) return
        posted.push(data)
        for (const other of channels) {
          if (other === opened || other.name !== name) continue
          const before = other.arrivals.get(tab) ?? Promise.resolve()
          other.arrivals.set(
            tab,
            before.then(() => deliver(tab, other, data)),
          )
        }
      },
      addEventListener(type, listener) {
        if (type === 'message') opened.listeners.push(listener)
      },
      close: () => void channels.delete(opened),
    }
  }

  function open(): FakeTab {
    const name = `tab ${++tabs}`
    const posted: unknown[] = []
    let isAlive = true
    const never = new Promise<never>(() => undefined)
    const living = async <RESULT>(result: Promise<RESULT>): Promise<RESULT> => {
      const value = await result
      return isAlive ? value : never
    }
    const stored = async <RESULT>(what: string, act: () => Promise<RESULT>): Promise<RESULT> => {
      await delay(`${what} of ${name}`)
      return isAlive ? living(act()) : never
    }
    const tab: FakeTab = {
      name,
      posted,
      living,
      get isAlive() {
        return isAlive
      },
      channel: (channelName) => openChannel(tab, channelName, posted),
      locks: {
        request: (lockName, { signal }, callback) =>
          new Promise<void>((resolve, reject) => {
            const request = { tab, callback, resolve, reject }
            queueOf(lockName).push(request)
            signal?.addEventListener('abort', () => {
              const queue = queueOf(lockName)
              if (!queue.includes(request)) return
              queue.splice(queue.indexOf(request), 1)
              reject(signal.reason)
            })
            void grantNext(lockName)
          }),
      },
      kill() {
        isAlive = false
        for (const channel of channels) if (channel.tab === tab) channels.delete(channel)
        for (const queue of waiting.values()) {
          for (const request of queue.filter((one) => one.tab === tab)) {
            queue.splice(queue.indexOf(request), 1)
          }
        }
        for (const [lockName, request] of held) {
          if (request.tab !== tab) continue
          held.delete(lockName)
          void grantNext(lockName)
        }
      },
      steal(lockName) {
        const former = held.get(lockName)
        const released = Promise.withResolvers<void>()
        const thief = {
          tab,
          callback: () => released.promise,
          resolve: () => undefined,
          reject: () => undefined,
        }
        held.set(lockName, thief)
        former?.reject(new DOMException('The lock was stolen.', 'AbortError'))
        return () => {
          if (held.get(lockName) !== thief) return
          held.delete(lockName)
          void grantNext(lockName)
        }
      },
      disk: (storage) => {
        // One call after the other, as the contract has it.
        let last: Promise<unknown> = Promise.resolve()
        const next = <RESULT>(what: string, act: () => Promise<RESULT>): Promise<RESULT> => {
          const result = last.then(() => stored(what, act))
          last = result.catch(() => undefined)
          return result
        }
        return {
          claims: 'store',
          read: (...call) => next('read', () => storage.read(...call)),
          write: (namespace, changes, options) =>
            next('write', () => storage.write(namespace, changes, options)),
          remove: (...call) => next('remove', () => storage.remove(...call)),
          removeAll: (prefix) => next('remove', () => storage.removeAll(prefix)),
          list: (...call) => next('list', () => storage.list(...call)),
          fence: (namespace) => next('fence', () => storage.fence(namespace)),
        }
      },
    }
    return tab
  }

  return {
    open,
    get underWay() {
      return underWay
    },
  }
}
