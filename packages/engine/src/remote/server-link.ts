import { EngineError } from '../errors.ts'
import type { AskedByPage, ToldToPage } from './wire.ts'

/** What is said to the server but who is meant by the answer. */
type Said = Exclude<AskedByPage, { readonly id: number }>
/** What is asked of the server, which answers. */
export type Question<ASKED extends AskedByPage = AskedByPage> = ASKED extends {
  readonly id: number
}
  ? Omit<ASKED, 'id'>
  : never
type Done = ToldToPage & { readonly tell: 'done' }

/**
 * The connection of this page to the server of its conversations. It is made when it is first wanted, since a page that
 * is rendered on a server wants none, and then comes back by itself.
 */
export interface ServerLink {
  /** Rejects when the connection cannot be had, or breaks before the answer. */
  ask(question: Question): Promise<Done>
  /** Says something, if there is a connection. */
  say(said: Said): void
  /** Makes the connection, unless that has begun: something may be told that was not asked for. */
  start(): void
  close(): void
}

/** Options of {@link openServerLink}. */
export interface ServerLinkOptions {
  /** Of the WebSocket; in a page it may be one without a host. */
  readonly url: string | URL
  /** A connection is there: what the server is to know has to be said anew. */
  readonly onOpen: () => void
  /** It broke: the server has forgotten this page. */
  readonly onClose: () => void
  readonly onTold: (told: Exclude<ToldToPage, { readonly tell: 'done' | 'failed' }>) => void
}

const FIRST_RETRY_MS = 250
const LAST_RETRY_MS = 4_000

interface Pending {
  readonly resolve: (done: Done) => void
  readonly reject: (error: Error) => void
}

export function openServerLink({ url, onOpen, onClose, onTold }: ServerLinkOptions): ServerLink {
  const pending = new Map<number, Pending>()
  /** What was asked while a connection was on its way. */
  let waiting: string[] = []
  let lastId = 0
  let retryMs = FIRST_RETRY_MS
  let socket: WebSocket | undefined
  let isOpen = false
  let isOver = false
  let timer: ReturnType<typeof setTimeout> | undefined

  function connect(): void {
    clearTimeout(timer)
    timer = undefined
    const opened = new WebSocket(addressOf(url))
    socket = opened
    opened.addEventListener('open', () => {
      isOpen = true
      retryMs = FIRST_RETRY_MS
      onOpen()
      for (const text of waiting) opened.send(text)
      waiting = []
    })
    opened.addEventListener('message', ({ data }) => receive(String(data)))
    opened.addEventListener('close', () => {
      if (socket === opened) lose()
    })
  }

  function lose(): void {
    socket = undefined
    const wasOpen = isOpen
    isOpen = false
    waiting = []
    const error = new Error('There is no connection to the server.')
    for (const { reject } of pending.values()) reject(error)
    pending.clear()
    if (wasOpen) onClose()
    if (isOver) return
    timer = setTimeout(connect, retryMs)
    retryMs = Math.min(LAST_RETRY_MS, retryMs * 2)
  }

  function receive(text: string): void {
    // The server is this page's own.
    const told = JSON.parse(text) as ToldToPage
    if (told.tell !== 'done' && told.tell !== 'failed') {
      onTold(told)
      return
    }
    const asked = pending.get(told.id)
    pending.delete(told.id)
    if (told.tell === 'done') asked?.resolve(told)
    else asked?.reject(errorOf(told))
  }

  function start(): void {
    if (socket || timer || isOver) return
    // What needs an answer says that there is none to be had.
    if (canReach(url)) connect()
  }

  return {
    start,
    ask: (question) =>
      new Promise((resolve, reject) => {
        if (isOver) throw new Error('The connection to the server was closed.')
        // Somebody wants it now.
        if (!socket) connect()
        const id = ++lastId
        const text = JSON.stringify({ ...question, id })
        pending.set(id, { resolve, reject })
        if (isOpen) socket?.send(text)
        else waiting.push(text)
      }),
    say(said) {
      if (isOpen) socket?.send(JSON.stringify(said))
      else start()
    },
    close() {
      isOver = true
      clearTimeout(timer)
      socket?.close()
      if (socket) lose()
    },
  }
}

/** Completed as `fetch` completes an address: not every browser does that for sockets. */
function addressOf(url: string | URL): URL {
  if (!canReach(url)) {
    const text = `"${url}" is no URL outside a page. Make the option "url" of connectConversations absolute there, such as "wss://example.org/conversations".`
    throw new EngineError('invalid_argument', text)
  }
  const address = new URL(url, globalThis.location?.href)
  address.protocol = address.protocol.replace('http', 'ws')
  return address
}

function canReach(url: string | URL): boolean {
  return URL.canParse(url, globalThis.location?.href)
}

function errorOf({ code, message }: ToldToPage & { readonly tell: 'failed' }): Error {
  const isOurs = code === 'fenced' || code === 'may_not_decide'
  return isOurs ? new EngineError(code, message) : new Error(message)
}
