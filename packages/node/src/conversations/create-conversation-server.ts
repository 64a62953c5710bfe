import { isEngineError } from '@assent/engine'
import type { AskedByPage, ToldToPage } from '@assent/engine/remote'
import { conversationOf, namespaceOf, type StorageWriteResult } from '@assent/engine/storage'

import { channelRelay, type ChannelEnd } from './channel-relay.ts'
import { conversationOn, readName } from './conversation-names.ts'
import type { ConversationServer, ConversationServerOptions } from './conversation-server.ts'
import { conversationHolds, type HoldRequest } from './holds.ts'
import { createDecisionGate } from './decision-gate.ts'
import { notForPages } from './not-for-pages.ts'
import { decisionIn, refusalFor } from './decisions-said.ts'
import { readAsked } from './wire.ts'

interface Connected {
  readonly user: string
  readonly send: (text: string) => void
  readonly tell: (told: ToldToPage) => void
  readonly channels: Map<string, ChannelEnd>
  /** Decisions of this page that may be passed on. */
  readonly admitted: Set<string>
  /** A write of it is being checked. */
  checking: Promise<void> | undefined
  readonly holds: Map<string, { readonly namespace: string; readonly request: HoldRequest }>
}

/** On it servers tell each other what all pages are told. */
const ALL_PAGES = 'assent-servers:all-pages'
/** How many decisions of a page are on their way at most; others are checked again. */
const MOST_ADMITTED = 1_000

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
  mayDecide,
  freeCommands = [],
  checkTimeoutMs: timeoutMs = 10_000,
  onError = warn,
}: ConversationServerOptions): ConversationServer {
  const { storage, channels } = conversations
  const holds = conversationHolds({ conversations, leaseMs, onError })
  const gate =
    mayDecide && createDecisionGate({ conversations, mayDecide, freeCommands, timeoutMs, onError })
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
    const checking = gate?.check(page.user, { namespace, put, remove })
    // What comes after it waits for it, so that the order stays.
    if (checking) {
      const over = checking.then(noop, noop).then(() => {
        if (page.checking === over) page.checking = undefined
      })
      page.checking = over
    }
    const decidedBy = checking && (await checking)
    const options = { durability, fence, ...(decidedBy && { decidedBy }) }
    const result = await conversations.writeFor(page.user, namespace, changes, options)
    if (result.claimed !== false) {
      tellChanged(page, namespace, [...changes.put.keys(), ...remove])
    }
    return result
  }

  /** Lets a decision of this page in, where it may decide. */
  async function admit(page: Connected, channel: string, request: unknown): Promise<void> {
    await gate?.admit(page.user, conversationOn(channel), request)
    if (page.admitted.size >= MOST_ADMITTED) page.admitted.clear()
    page.admitted.add(JSON.stringify([channel, request]))
  }

  function say(page: Connected, channel: string, text: string): void {
    const decision = gate && decisionIn(text)
    const pass = () => page.channels.get(channel)?.say(text)
    if (!decision || page.admitted.has(JSON.stringify([channel, decision.request]))) {
      pass()
      return
    }
    void admit(page, channel, decision.request).then(pass, (error: unknown) => {
      const { code, message } = failure(page, error)
      page.tell({ tell: 'heard', channel, text: refusalFor(decision, code, message) })
    })
  }

  /** What the page is told, if anything. What it does not wait for is done before this returns. */
  function answer(page: Connected, asked: AskedByPage): Promise<ToldToPage> | undefined {
    const refusal = notForPages(asked, gate !== undefined)
    if (refusal) return Promise.reject(refusal)
    switch (asked.ask) {
      case 'read':
        return done(asked.id, async () => ({
          entries: [...(await storage.read(asked.namespace, asked.range))],
        }))
      case 'list':
        return done(asked.id, async () => ({
          entries: [...(await storage.list(asked.key, asked.range))],
        }))
      case 'search':
        return done(asked.id, async () => ({
          namespaces: (await storage.search?.(asked.text, asked.prefix)) ?? [],
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
        say(page, asked.channel, asked.text)
        return undefined
      case 'decide':
        return done(asked.id, () => admit(page, asked.channel, asked.request))
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
    if (page.channels.has(channel) || channel === ALL_PAGES) return
    const end = relay.join(channel, {
      onHeard: (text) => page.tell({ tell: 'heard', channel, text }),
      onMissed: () => page.tell({ tell: 'missed', channel }),
    })
    page.channels.set(channel, end)
  }

  function receive(page: Connected, text: string): void {
    if (!pages.has(page)) return
    if (page.checking) {
      void page.checking.then(() => receive(page, text))
      return
    }
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
        admitted: new Set(),
        checking: undefined,
        holds: new Map(),
      }
      pages.add(page)
      if (gate) page.tell({ tell: 'checks' })
      if (storage.search) page.tell({ tell: 'searches' })
      return {
        receive(text) {
          receive(page, text)
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

function noop(): void {}

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
