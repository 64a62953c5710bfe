// @vitest-environment node
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { connectConversations } from './connect-conversations.ts'

/** A socket whose server is the test. */
class TestedSocket extends EventTarget {
  readonly sent: string[] = []
  isClosed = false
  readonly url: string | URL
  constructor(url: string | URL) {
    super()
    this.url = url
    sockets.push(this)
  }
  send(text: string): void {
    this.sent.push(text)
  }
  open(): void {
    this.dispatchEvent(new Event('open'))
  }
  close(): void {
    this.isClosed = true
    this.dispatchEvent(new Event('close'))
  }
}

let sockets: TestedSocket[]

beforeEach(() => {
  sockets = []
  vi.useFakeTimers()
  vi.stubGlobal('WebSocket', TestedSocket)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const url = 'wss://example.org/conversations'

test('connects when something is first wanted of the server, and not before', async () => {
  const { storage } = connectConversations({ url })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(sockets).toEqual([])
  void storage.read('one').catch(() => undefined)
  expect(sockets.map((socket) => String(socket.url))).toEqual([url])
  void storage.list('about').catch(() => undefined)
  sockets[0]?.open()
  expect(sockets).toHaveLength(1)
  expect(sockets[0]?.sent).toHaveLength(2)
})

test.each([
  ['a channel', (made: ReturnType<typeof connectConversations>) => void made.channel('one')],
  [
    'a hold',
    (made: ReturnType<typeof connectConversations>) =>
      void made.locks.request('assent:one', {}, () => Promise.resolve()),
  ],
  [
    'a watcher',
    (made: ReturnType<typeof connectConversations>) =>
      void made.storage.watch?.('one', () => undefined),
  ],
])('connects for %s', (_, use) => {
  use(connectConversations({ url }))
  expect(sockets).toHaveLength(1)
})

test('makes no connection before the next try is due, unless something is asked', async () => {
  const made = connectConversations({ url })
  const { postMessage } = made.channel('one')
  sockets[0]?.open()
  sockets[0]?.close()
  postMessage('not heard')
  expect(sockets).toHaveLength(1)
  void made.storage.read('one').catch(() => undefined)
  expect(sockets).toHaveLength(2)
  sockets[1]?.close()
  await vi.advanceTimersByTimeAsync(500)
  expect(sockets).toHaveLength(3)
})

test('leaves nothing behind once it was closed, and refuses what is asked of it', async () => {
  const made = connectConversations({ url })
  const asked = made.storage.read('one')
  made.close()
  await expect(asked).rejects.toThrow('no connection')
  await expect(made.storage.read('one')).rejects.toThrow('closed')
  made.channel('one')
  expect(sockets.map(({ isClosed }) => isClosed)).toEqual([true])
  expect(vi.getTimerCount()).toBe(0)
})

test('closed before it was used, it never connects', () => {
  const made = connectConversations({ url })
  made.close()
  made.channel('one')
  expect(sockets).toEqual([])
})

test('takes an address without a host where there is none to complete it, until it is needed', async () => {
  const { storage } = connectConversations({ url: '/conversations' })
  await expect(storage.read('one')).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringMatching(/"\/conversations".*option "url".*absolute/s),
  })
  expect(sockets).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
})

test('makes no trouble of such an address for what cannot fail', () => {
  const made = connectConversations({ url: '/conversations' })
  expect(() => made.channel('one')).not.toThrow()
  expect(vi.getTimerCount()).toBe(0)
})

test.each([
  ['/conversations?user=ada', 'wss://example.org/conversations?user=ada'],
  ['https://other.org/conversations', 'wss://other.org/conversations'],
  [new URL('http://other.org/conversations'), 'ws://other.org/conversations'],
  ['ws://other.org/conversations', 'ws://other.org/conversations'],
])('completes %s by the address of the page', (given, expected) => {
  vi.stubGlobal('location', { href: 'https://example.org/chat/7?a=b' })
  connectConversations({ url: given }).channel('one')
  expect(sockets.map((socket) => String(socket.url))).toEqual([expected])
})
