import type { AskedByPage, ToldToPage } from '@assent/engine/remote'
import { conversationOf, type StorageWriteResult } from '@assent/engine/storage'
import type { AuditLog } from '../audit/audit-log.ts'
import { isEngineError } from '@assent/engine'
import { DatabaseError } from '../sqlite/database-error.ts'
import { leaseTable } from '../sqlite/leases.ts'
import { namespaceWatch } from '../sqlite/namespace-watch.ts'
import type { AssentDatabase } from '../sqlite/open-database.ts'
import { sqliteConversations } from '../sqlite/sqlite-conversations.ts'
import { recordsTable, toRecordChange } from '../sqlite/records.ts'
import { auditRecords } from './audit-records.ts'
import { conversationHolds, type HoldRequest } from './holds.ts'
import { readAsked } from './wire.ts'

/** Options of {@link createConversationServer}. */
export interface ConversationServerOptions {
  readonly database: AssentDatabase
  /** Notes the calls and the decisions of the conversations that pages write. */
  readonly audit?: AuditLog
  /** Whether the calls of a tool are noted where they run: those of the server. Default: none. */
  readonly isNotedElsewhere?: (toolName: string) => boolean
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
  readonly tell: (told: ToldToPage) => void
  readonly channels: Set<string>
  readonly holds: Map<string, { readonly conversationId: string; readonly request: HoldRequest }>
}

const NAMESPACE = 'conversation/'
/** Milliseconds between two looks at a conversation that another process holds. */
const LOOK_MS = 500

/**
 * Serves the conversations of a database to pages: their records, which page holds a conversation, and
 * what pages with the same conversation say to each other, so that `createSharedEngine` shares it between
 * browsers as between tabs. One page holds a conversation, over all processes with this file, workers
 * included; what another one writes as its holder is refused.
 *
 * Who may connect, and so read and write all of them, is for the app to decide before.
 */
export function createConversationServer({
  database,
  audit,
  isNotedElsewhere = () => false,
  leaseMs = 15_000,
  onError = warn,
}: ConversationServerOptions): ConversationServer {
  const records = recordsTable(database)
  const leases = leaseTable(database)
  const watch = namespaceWatch(database)
  const holds = conversationHolds({
    conversations: sqliteConversations(database),
    leaseMs,
    lookMs: LOOK_MS,
    onError,
  })
  const note = audit && auditRecords({ database, audit, isNotedElsewhere })
  const pages = new Set<Connected>()

  /** The token of who holds a namespace: that of the hold of the page, or the next one. */
  function tokenFor(page: Connected, namespace: string): number {
    for (const { conversationId, request } of page.holds.values()) {
      if (request.hold && namespace === NAMESPACE + conversationId) return request.hold.epoch
    }
    return leases.raise(namespace)
  }

  /** What is held no more need not wait for its next beat: the page is told. */
  function dropLost(page: Connected): void {
    for (const { request } of page.holds.values()) {
      // It is told by the hold itself.
      void request.hold?.check().catch(() => undefined)
    }
  }

  function tellOthers(page: Connected, told: ToldToPage, channel?: string): void {
    for (const other of pages) {
      if (other !== page && (channel === undefined || other.channels.has(channel))) other.tell(told)
    }
  }

  /** What others show may be another one now. */
  function tellChanged(page: Connected, namespace: string, keys?: readonly string[]): void {
    const id = conversationOf(namespace)?.id
    if (id === undefined) tellOthers(page, { tell: 'changed', namespace })
    else if (keys?.some(isListed) ?? true) tellOthers(page, { tell: 'listed', id })
  }

  function write(
    page: Connected,
    asked: AskedByPage & { readonly ask: 'write' },
  ): StorageWriteResult {
    const { namespace, put, remove, claim, durability = 'relaxed', fence } = asked
    const change = toRecordChange({ put: new Map(put), remove, ...(claim && { claim }) })
    const result = database.transaction(
      () => {
        if (fence !== undefined) leases.pass(namespace, fence)
        const written = records.change(namespace, change)
        if (written.claimed !== false) note?.(namespace, put, page.user)
        return written
      },
      { durability },
    )
    watch.changed(namespace)
    if (result.claimed !== false) {
      tellChanged(page, namespace, [...put.map(([key]) => key), ...remove])
    }
    return result
  }

  function answer(page: Connected, asked: AskedByPage): ToldToPage | undefined {
    switch (asked.ask) {
      case 'read':
        return {
          tell: 'done',
          id: asked.id,
          entries: [...records.read(asked.namespace, asked.range)],
        }
      case 'list':
        return { tell: 'done', id: asked.id, entries: [...records.list(asked.key, asked.range)] }
      case 'write':
        return { tell: 'done', id: asked.id, written: write(page, asked) }
      case 'remove':
        database.transaction(() => {
          if (asked.fence !== undefined) leases.pass(asked.namespace, asked.fence)
          records.clear(asked.namespace)
        })
        watch.changed(asked.namespace)
        tellChanged(page, asked.namespace)
        return { tell: 'done', id: asked.id }
      case 'removeAll':
        for (const namespace of database.transaction(() => records.clearAll(asked.prefix))) {
          watch.changed(namespace)
        }
        tellOthers(page, { tell: 'listed' })
        return { tell: 'done', id: asked.id }
      case 'fence':
        return { tell: 'done', id: asked.id, token: tokenFor(page, asked.namespace) }
      case 'hold': {
        const { hold, conversationId } = asked
        // A name that it has already would be lost sight of.
        if (page.holds.has(hold)) return undefined
        const request = holds.request(conversationId, {
          onHeld: () => page.tell({ tell: 'held', hold }),
          onLost: () => {
            page.holds.delete(hold)
            page.tell({ tell: 'lost', hold })
          },
        })
        page.holds.set(hold, { conversationId, request })
        return undefined
      }
      case 'release':
        page.holds.get(asked.hold)?.request.end()
        page.holds.delete(asked.hold)
        return undefined
      case 'join':
        page.channels.add(asked.channel)
        return undefined
      case 'leave':
        page.channels.delete(asked.channel)
        return undefined
      case 'say': {
        const { channel, text } = asked
        tellOthers(page, { tell: 'heard', channel, text }, channel)
        return undefined
      }
    }
  }

  function receive(page: Connected, text: string): void {
    const asked = readAsked(text)
    if (!asked) {
      onError(new TypeError('A page said something that makes no sense; is it of this version?'))
      return
    }
    try {
      const told = answer(page, asked)
      if (told) page.tell(told)
    } catch (error) {
      const isToTell = error instanceof DatabaseError || isEngineError(error)
      if (!isToTell) onError(error)
      if (isEngineError(error) && error.code === 'fenced') dropLost(page)
      if (!('id' in asked)) return
      const [code, message] = isToTell
        ? [error.code, error.message]
        : ['server-error', 'The server failed; it knows why.']
      page.tell({ tell: 'failed', id: asked.id, code, message })
    }
  }

  return {
    connect({ user, send }) {
      const page: Connected = {
        user,
        tell: (told) => send(JSON.stringify(told)),
        channels: new Set(),
        holds: new Map(),
      }
      pages.add(page)
      return {
        receive: (text) => {
          if (pages.has(page)) receive(page, text)
        },
        close() {
          if (!pages.delete(page)) return
          for (const { request } of page.holds.values()) request.end()
        },
      }
    },
    close() {
      pages.clear()
      return holds.close()
    },
  }
}

/** Whether a list of conversations shows a record. */
function isListed(key: string): boolean {
  return key === 'about' || key === 'title'
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error))
}
