import { EngineError, isEngineError } from '../errors.ts'
import type {
  ChannelLike,
  LockManagerLike,
  SharedCommand,
  SharingEnvironment,
} from '../sharing/environment.ts'
import type { ConversationStorage } from '../storage/storage.ts'
import { fromChannelText, toChannelText } from './channel-text.ts'
import { openServerLink } from './server-link.ts'
import { decides } from './what-decides.ts'

/** The conversations of a server, for `useConversations` and `createSharedEngine`. */
export interface ServerConversations {
  readonly storage: ConversationStorage
  /** Who holds a conversation, over all browsers. */
  readonly locks: LockManagerLike
  /** Channels to all pages with the same conversation, in whatever browser. */
  readonly channel: (name: string) => ChannelLike
  /** Asks the server about decisions before they are carried out, where it has `mayDecide`. */
  readonly permit: Required<SharingEnvironment>['permit']
  /**
   * Ends the connection for good, and gives back what was held. For what is made again and again, as in a component:
   * `onScopeDispose(close)`.
   */
  close(): void
}

/** Options of {@link connectConversations}. */
export interface ConnectOptions {
  /**
   * Of the WebSocket. In a page it may be one without a host (`/conversations`), or begin with `https:`; anywhere else it
   * has to be absolute, once something is read.
   */
  readonly url: string | URL
  /**
   * Another page changed what the list shows of this conversation, or of any (`undefined`), as after the
   * connection was broken. For `refresh` of `useConversations`.
   */
  readonly onListed?: (id: string | undefined) => void
  /** The connection came, or broke. */
  readonly onConnected?: (isConnected: boolean) => void
}

/** A wish to hold a conversation, or the hold itself. */
interface Lock {
  readonly conversationId: string
  isHeld: boolean
  readonly onHeld: () => void
  readonly onLost: (error: Error) => void
}

interface Joined {
  readonly name: string
  readonly listeners: Set<(event: { data: unknown }) => void>
  /** Called when something may have been missed. */
  readonly missed: Set<(event: { data: unknown }) => void>
}

const LOCK_PREFIX = 'assent:'

/**
 * Connects to a server of conversations (`createConversationServer` of `@assent/node`), so that all
 * browsers share them as the tabs of one do:
 *
 * ```ts
 * const { storage, locks, channel } = connectConversations({ url: 'wss://example.org/conversations' })
 * createSharedEngine({ id, storage: defineStorage(storage), locks, channel, transport })
 * ```
 *
 * The connection is made when something is first read or shared. So nothing connects where a page is rendered on a
 * server, and there a `url` without a host does no harm.
 *
 * One page leads a conversation; the others show it, and act on it through that page. When the connection
 * breaks, a page that led one shows it on and leads it no more, and what it writes is refused; it comes
 * back by itself. Without a connection nothing can be read or written.
 */
export function connectConversations({
  url,
  onListed = () => undefined,
  onConnected = () => undefined,
}: ConnectOptions): ServerConversations {
  const locks = new Map<string, Lock>()
  const channels = new Set<Joined>()
  const watchers = new Set<{ readonly namespace: string; readonly onChange: () => void }>()

  let isChecked = false
  let canSearch = false
  const link = openServerLink({
    url,
    onOpen() {
      for (const name of new Set([...channels].map((one) => one.name))) {
        link.say({ ask: 'join', channel: name })
      }
      for (const [hold, { conversationId }] of locks)
        link.say({ ask: 'hold', hold, conversationId })
      for (const one of channels) tellMissed(one)
      onConnected(true)
      for (const { onChange } of watchers) onChange()
      onListed(undefined)
    },
    onClose() {
      for (const [hold, lock] of locks) if (lock.isHeld) lose(hold, lock)
      onConnected(false)
    },
    onTold(told) {
      switch (told.tell) {
        case 'checks':
          isChecked = true
          return
        case 'searches':
          canSearch = true
          return
        case 'held': {
          const lock = locks.get(told.hold)
          if (!lock) return
          lock.isHeld = true
          lock.onHeld()
          return
        }
        case 'lost': {
          const lock = locks.get(told.hold)
          if (lock) lose(told.hold, lock)
          return
        }
        case 'heard':
          hear(told.channel, told.text)
          return
        case 'changed':
          for (const one of watchers) if (one.namespace === told.namespace) one.onChange()
          return
        case 'missed':
          for (const one of channels) if (one.name === told.channel) tellMissed(one)
          return
        case 'listed':
          onListed(told.id)
      }
    },
  })

  function lose(hold: string, lock: Lock): void {
    locks.delete(hold)
    lock.onLost(new DOMException('The server gave it to another page.', 'AbortError'))
  }

  function tellMissed({ missed }: Joined): void {
    for (const listener of missed) listener({ data: undefined })
  }

  function hear(name: string, text: string): void {
    for (const channel of channels) {
      if (channel.name !== name) continue
      const data = fromChannelText(text)
      for (const listener of channel.listeners) listener({ data })
    }
  }

  async function request(
    name: string,
    { signal }: { signal?: AbortSignal },
    callback: () => Promise<void>,
  ): Promise<void> {
    signal?.throwIfAborted()
    const hold = crypto.randomUUID()
    const conversationId = name.startsWith(LOCK_PREFIX) ? name.slice(LOCK_PREFIX.length) : name
    const held = Promise.withResolvers<void>()
    const lost = Promise.withResolvers<never>()
    // It is lost at a time at which nobody waits for that, too.
    lost.promise.catch(() => undefined)
    const cancel = () => {
      if (!locks.get(hold)?.isHeld) held.reject(signal?.reason)
    }
    signal?.addEventListener('abort', cancel)
    locks.set(hold, { conversationId, isHeld: false, onHeld: held.resolve, onLost: lost.reject })
    link.say({ ask: 'hold', hold, conversationId })
    try {
      await held.promise
      await Promise.race([callback(), lost.promise])
    } finally {
      signal?.removeEventListener('abort', cancel)
      // What was lost, the server knows.
      if (locks.delete(hold)) link.say({ ask: 'release', hold })
    }
  }

  function channel(name: string): ChannelLike {
    const joined: Joined = { name, listeners: new Set(), missed: new Set() }
    channels.add(joined)
    link.say({ ask: 'join', channel: name })
    return {
      postMessage: (message) =>
        link.say({ ask: 'say', channel: name, text: toChannelText(message) }),
      addEventListener(type, listener) {
        const { listeners, missed } = joined
        ;(type === 'message' ? listeners : missed).add(listener)
      },
      close() {
        channels.delete(joined)
        const isOthers = [...channels].some((one) => one.name === name)
        if (!isOthers) link.say({ ask: 'leave', channel: name })
      },
    }
  }

  /** Asks the server whether this may be decided here: it passes no other decision on, and stores none. */
  async function ask(name: string, command: SharedCommand): Promise<EngineError | undefined> {
    try {
      await link.ask({ ask: 'decide', channel: name, request: JSON.parse(JSON.stringify(command)) })
      return undefined
    } catch (cause) {
      if (isEngineError(cause)) return cause
      const text = 'It could not be asked whether you may decide this. Nothing was run: try again.'
      return new EngineError('sharing_unavailable', text, { cause, retryable: true })
    }
  }

  const permit = (name: string, command: SharedCommand) =>
    isChecked && decides(command) ? ask(name, command) : undefined
  const sharing = { locks: { request }, channel, permit }
  return {
    ...sharing,
    storage: {
      claims: 'store',
      sharing,
      async read(namespace, range) {
        return new Map((await link.ask({ ask: 'read', namespace, range })).entries)
      },
      async write(namespace, { put = new Map(), remove = [], claim }, { durability, fence } = {}) {
        const { written = {} } = await link.ask({
          ask: 'write',
          namespace,
          put: [...put],
          remove: [...remove],
          claim,
          durability,
          fence,
        })
        return written
      },
      async remove(namespace, { fence } = {}) {
        await link.ask({ ask: 'remove', namespace, fence })
      },
      async removeAll(prefix) {
        await link.ask({ ask: 'removeAll', prefix })
      },
      async list(key, range) {
        return new Map((await link.ask({ ask: 'list', key, range })).entries)
      },
      search(text, prefix) {
        if (!canSearch) return undefined
        return link.ask({ ask: 'search', text, prefix }).then(({ namespaces = [] }) => namespaces)
      },
      async fence(namespace) {
        const { token } = await link.ask({ ask: 'fence', namespace })
        if (token === undefined) throw new TypeError('The server is of another version.')
        return token
      },
      watch(namespace, onChange) {
        const watcher = { namespace, onChange }
        watchers.add(watcher)
        link.start()
        return () => void watchers.delete(watcher)
      },
    },
    close: () => link.close(),
  }
}
