import { isEngineError } from '@assent/engine'
import type { AskedByPage, ToldToPage } from '@assent/engine/remote'
import {
  conversationOf,
  namespaceOf,
  type ConversationName,
  type SharedConversations,
  type StorageWriteResult,
} from '@assent/engine/storage'

import { channelRelay, type ChannelEnd } from './channel-relay.ts'
import { conversationHolds, type HoldRequest } from './holds.ts'
import { readAsked } from './wire.ts'

/** Options of {@link createConversationServer}. */
export interface ConversationServerOptions {
  /** Where they are kept, and how processes share them: `sqliteConversations`, or one of PostgreSQL. */
  readonly conversations: SharedConversations
  /** After this long a conversation of a process that ended can be held by another one. Default 15,000. */
  readonly leaseMs?: number
  /** What failed here. Default: a warning of the process. */
  readonly onError?: (error: unknown) => void
}

/** A page that is connected, by a WebSocket or the like: texts arrive in order, or not at all. */
export interface ConnectedPage {
  /** To be called with each text that comes from it. */
  receive(text: string): void
  /** It is gone: what it held can be held by others. */
  close(): void
}

/** Keeps the conversations of pages, in any number of browsers. */
export interface ConversationServer {
  /**
   * @param page `user`: who it is, for the audit; `send` takes texts for it
   */
  connect(page: { readonly user: string; readonly send: (text: string) => void }): ConnectedPage
  /** Gives all conversations back. */
  close(): Promise<void>
}

interface Connected {
  readonly user: string
  readonly send: (text: string) => void
  readonly tell: (told: ToldToPage) => void
  readonly channels: Map<string, ChannelEnd>
  readonly holds: Map<string, { readonly namespace: string; readonly request: HoldRequest }>
}

/** On it servers tell each other what all pages are told. */
const ALL_PAGES = 'assent:all-pages'

/**
 * Serves conversations to pages: their records, which page holds a conversation, and what pages with the
 * same conversation say to each other, so that `createSharedEngine` shares it between browsers as between
 * tabs, whatever server of several a page is connected to. One page holds a conversation, over all
 * processes, workers included; what another one writes as its holder is refused.
 *
 * Who may connect, and so read and write all of them, is for the app to decide before.
 */
export function createConversationServer({
  conversations,
  leaseMs = 15_000,
  onError = warn,
}: ConversationServerOptions): ConversationServer {
  const { storage, channels } = conversations
  const holds = conversationHolds({ conversations, leaseMs, onError })
  const relay = channelRelay(channels, onError)
  const pages = new Set<Connected>()
  const allPages = relay.join(ALL_PAGES, {
    onHeard(text) {
      for (const page of pages) page.send(text)
    },
    onMissed() {
      for (const page of pages) page.tell({ tell: 'listed' })
    },
  })

  /** The token of who holds a namespace: that of the hold of the page, or the next one. */
  async function tokenFor(page: Connected, namespace: string): Promise<number> {
    for (const held of page.holds.values()) {
      if (held.request.hold && namespace === held.namespace) return held.request.hold.epoch
    }
    return storage.fence(namespace)
  }

  /** What is held no more need not wait for its next beat: the page is told. */
  function dropLost(page: Connected): void {
    for (const { request } of page.holds.values()) {
      // It is told by the hold itself.
      void request.hold?.check().catch(() => undefined)
    }
  }

  function tellOthers(page: Connected, told: ToldToPage): void {
    for (const other of pages) if (other !== page) other.tell(told)
    allPages.say(JSON.stringify(told))
  }

  /** What others show may be another one now. */
  function tellChanged(page: Connected, namespace: string, keys?: readonly string[]): void {
    const id = conversationOf(namespace)?.id
    if (id === undefined) tellOthers(page, { tell: 'changed', namespace })
    else if (keys?.some(isListed) ?? true) tellOthers(page, { tell: 'listed', id })
  }

  async function write(
    page: Connected,
    asked: AskedByPage & { readonly ask: 'write' },
  ): Promise<StorageWriteResult> {
    const { namespace, put, remove, claim, durability, fence } = asked
    const changes = { put: new Map(put), remove, ...(claim && { claim }) }
    const options = { durability, fence }
    const result = await conversations.writeFor(page.user, namespace, changes, options)
    if (result.claimed !== false) {
      tellChanged(page, namespace, [...changes.put.keys(), ...remove])
    }
    return result
  }

  /** What the page is told, if anything. What it does not wait for is done before this returns. */
  function answer(page: Connected, asked: AskedByPage): Promise<ToldToPage> | undefined {
    switch (asked.ask) {
      case 'read':
        return done(asked.id, async () => ({
          entries: [...(await storage.read(asked.namespace, asked.range))],
        }))
      case 'list':
        return done(asked.id, async () => ({
          entries: [...(await storage.list(asked.key, asked.range))],
        }))
      case 'write':
        return done(asked.id, async () => ({ written: await write(page, asked) }))
      case 'remove':
        return done(asked.id, async () => {
          await storage.remove(asked.namespace, { fence: asked.fence })
          tellChanged(page, asked.namespace)
        })
      case 'removeAll':
        return done(asked.id, async () => {
          await storage.removeAll(asked.prefix)
          tellOthers(page, { tell: 'listed' })
        })
      case 'fence':
        return done(asked.id, async () => ({ token: await tokenFor(page, asked.namespace) }))
      case 'hold':
        hold(page, asked)
        return undefined
      case 'release':
        page.holds.get(asked.hold)?.request.end()
        page.holds.delete(asked.hold)
        return undefined
      case 'join':
        join(page, asked.channel)
        return undefined
      case 'leave':
        page.channels.get(asked.channel)?.leave()
        page.channels.delete(asked.channel)
        return undefined
      case 'say':
        page.channels.get(asked.channel)?.say(asked.text)
        return undefined
    }
  }

  function hold(page: Connected, asked: AskedByPage & { readonly ask: 'hold' }): void {
    const { hold: name } = asked
    // A name that it has already would be lost sight of.
    if (page.holds.has(name)) return
    const conversation = readName(asked.conversationId)
    const request = holds.request(conversation, {
      onHeld: () => page.tell({ tell: 'held', hold: name }),
      onLost: () => {
        page.holds.delete(name)
        page.tell({ tell: 'lost', hold: name })
      },
    })
    const { conversationId, conversationOwner } = conversation
    const namespace = namespaceOf(conversationId, conversationOwner)
    page.holds.set(name, { namespace, request })
  }

  function join(page: Connected, channel: string): void {
    if (page.channels.has(channel)) return
    const end = relay.join(channel, {
      onHeard: (text) => page.tell({ tell: 'heard', channel, text }),
      onMissed: () => page.tell({ tell: 'missed', channel }),
    })
    page.channels.set(channel, end)
  }

  function receive(page: Connected, text: string): void {
    const asked = readAsked(text)
    if (!asked) {
      onError(new TypeError('A page said something that makes no sense; is it of this version?'))
      return
    }
    void answer(page, asked)?.then(page.tell, (error: unknown) => {
      if ('id' in asked) page.tell({ tell: 'failed', id: asked.id, ...failure(page, error) })
    })
  }

  function failure(page: Connected, error: unknown): { code: string; message: string } {
    if (isEngineError(error) && error.code === 'fenced') dropLost(page)
    if (isToTell(error)) return { code: error.code, message: error.message }
    onError(error)
    return { code: 'server-error', message: 'The server failed; it knows why.' }
  }

  return {
    connect({ user, send }) {
      const page: Connected = {
        user,
        send,
        tell(told) {
          if (pages.has(page)) send(JSON.stringify(told))
        },
        channels: new Map(),
        holds: new Map(),
      }
      pages.add(page)
      return {
        receive(text) {
          if (pages.has(page)) receive(page, text)
        },
        close() {
          if (!pages.delete(page)) return
          for (const end of page.channels.values()) end.leave()
          for (const { request } of page.holds.values()) request.end()
        },
      }
    },
    close() {
      for (const page of pages) for (const end of page.channels.values()) end.leave()
      pages.clear()
      allPages.leave()
      return holds.close()
    },
  }
}

async function done(
  id: number,
  run: () => Promise<Omit<ToldToPage & { readonly tell: 'done' }, 'tell' | 'id'> | void>,
): Promise<ToldToPage> {
  return { tell: 'done', id, ...(await run()) }
}

/** What a page calls a conversation, which has the owner in it, where there is one. */
function readName(name: string): ConversationName {
  const [prefix, length = ''] = /^owner\/(\d+)\//.exec(name) ?? []
  if (prefix === undefined) return { conversationId: name }
  const end = prefix.length + Number(length)
  if (name[end] !== '/') return { conversationId: name }
  return {
    conversationOwner: name.slice(prefix.length, end),
    conversationId: name.slice(end + 1),
  }
}

/** Whether a list of conversations shows a record. */
function isListed(key: string): boolean {
  return key === 'about' || key === 'title'
}

/** Errors of ours, which say what to do; of others a page is told nothing. */
function isToTell(error: unknown): error is Error & { readonly code: string } {
  if (isEngineError(error)) return true
  return error instanceof Error && error.name === 'DatabaseError' && 'code' in error
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error))
}
