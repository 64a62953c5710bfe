import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import { join } from 'node:path'
import { auditLog, createConversationServer, openDatabase, sqliteConversations } from '@assent/node'
import type { AssentDatabase, ConversationServer } from '@assent/node'
import { toolPlugin } from '@assent/engine'
import { connectConversations, type ServerConversations } from '@assent/engine/remote'
import { createSharedEngine } from '@assent/engine/shared'
import { defineStorage, namespaceOf, storedConversations } from '@assent/engine/storage'
import {
  answer,
  callTools,
  scriptedTransport,
  storageConformance,
  untilState,
} from '@assent/engine/testing'
import { tool } from 'ai'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'

import { createScratchWorkspace } from './scratch-workspace.ts'
import { serveConversations } from './conversation-socket.ts'

interface Place {
  readonly port: number
  readonly server: Server
  readonly conversations: ConversationServer
  end(): Promise<void>
}

let database: AssentDatabase
let places: Place[]
let clients: ServerConversations[]

beforeEach(() => {
  database = openDatabase(':memory:')
  places = []
  clients = []
})
afterEach(async () => {
  for (const client of clients) client.close()
  for (const place of places) await place.end()
  database.close()
})

async function start(port = 0, file = database): Promise<Place> {
  const conversations = createConversationServer({
    conversations: sqliteConversations(file, {
      audit: auditLog(file),
      isNotedElsewhere: (name) => name === 'server_time',
    }),
  })
  const server = createServer()
  const stop = serveConversations(server, { conversations })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('It has no port.')
  const place: Place = {
    port: address.port,
    server,
    conversations,
    async end() {
      places = places.filter((one) => one !== place)
      stop()
      await conversations.close()
      server.close()
      await once(server, 'close')
    },
  }
  places.push(place)
  return place
}

function connect(
  { port }: Pick<Place, 'port'>,
  user = 'ada',
  onListed: (id: string | undefined) => void = () => undefined,
): ServerConversations {
  const client = connectConversations({
    url: `ws://127.0.0.1:${port}/api/conversations?user=${user}`,
    onListed,
  })
  clients.push(client)
  return client
}

const write = tool({
  inputSchema: z.object({ title: z.string() }),
  needsApproval: true,
  execute: ({ title }) => `Wrote ${title}`,
})

/** The conversation `c`, or another one, as a page in a browser has it open. */
function openPage({ storage, locks, channel }: ServerConversations, id = 'c') {
  return createSharedEngine({
    id,
    storage: defineStorage(storage),
    locks,
    channel,
    transport: scriptedTransport([
      callTools({ toolCallId: '1', toolName: 'write', input: { title: 'a' } }),
      answer('Done.'),
    ]),
    plugins: [toolPlugin({ tools: { write } })],
    // The end of a test cuts connections.
    onError: () => undefined,
  })
}

describe('conversations of a server, over a connection', () => {
  test.for(storageConformance())('$name', { timeout: 30_000 }, async ({ run }) => {
    const place = await start()
    const made = run(async () => ({
      storage: connect(place).storage,
      reopen: async () => connect(place).storage,
      beside: async () => connect(place).storage,
    }))
    await expect(made).resolves.toBeUndefined()
  })

  test('are shared by two browsers: one leads them, the other sees it, decides, and takes over', async () => {
    const place = await start()
    const [first, second] = [connect(place, 'ada'), connect(place, 'bob')]
    const holder = openPage(first)
    await holder.ready
    const mirror = openPage(second)
    void holder.sendMessage('write a')
    await untilState(mirror, ({ requestState }) => requestState === 'paused')
    expect([holder.role(), mirror.role()]).toEqual(['holder', 'mirror'])

    const decided = await mirror.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '1' })
    expect(decided).toMatchObject({ success: true })
    await untilState(mirror, ({ requestState }) => requestState === 'completed')
    expect(holder.getState().messages).toEqual(mirror.getState().messages)

    first.close()
    await vi.waitFor(() => expect(mirror.role()).toBe('holder'))
    expect(mirror.getState().messages).toHaveLength(2)
    expect(await storedConversations(second.storage).list()).toMatchObject([{ id: 'c' }])
    mirror.dispose()
    holder.dispose()
  })

  test('are noted in the audit: calls as they go, and decisions with who made them', async () => {
    const client = connect(await start(), 'ada')
    const engine = openPage(client)
    await engine.sendMessage('write a')
    const audit = auditLog(database)
    expect(await audit.calls()).toMatchObject([
      { toolName: 'write', status: 'queued', conversationId: 'c' },
    ])
    await engine.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '1', reason: 'fine' })
    await untilState(engine, ({ requestState }) => requestState === 'completed')
    engine.dispose()
    await vi.waitFor(async () => {
      expect(await audit.calls()).toMatchObject([
        { status: 'done', output: 'Wrote a', attempts: 1 },
      ])
    })
    expect(await audit.query({ kind: 'decision' })).toMatchObject([
      { payload: { outcome: 'yes', who: 'ada', reason: 'fine', toolName: 'write' } },
    ])
    expect(await audit.verify()).toMatchObject({ valid: true })
  })

  test('tell the other pages which one of the list changed, and what is of no conversation', async () => {
    const place = await start()
    const told: (string | undefined)[] = []
    const other = connect(place, 'bob', (id) => told.push(id))
    const { storage } = connect(place)
    const changes: string[] = []
    const unwatch = other.storage.watch?.('everywhere', () => changes.push('everywhere'))
    await other.storage.read('everywhere')
    expect([told.splice(0), changes.splice(0)]).toEqual([[undefined], ['everywhere']])
    const about = { put: new Map([['about', { title: 'A' }]]) }
    await storage.write('conversation/a', about)
    await storage.write(namespaceOf('b', 'ada'), about)
    await storage.write('conversation/c', { put: new Map([['unread', 1]]) })
    await storage.write('conversation/d', { put: new Map([['title', 'D']]) })
    const claim = { key: 'last-write', expected: 'another', id: 'mine' }
    expect(await storage.write('conversation/e', { ...about, claim })).toEqual({ claimed: false })
    await storage.remove('conversation/c')
    await storage.write('everywhere', { put: new Map([['about', 1]]) })
    await storage.write('removed', { put: new Map([['c', 1]]) })
    await other.storage.read('everywhere')
    expect([told.splice(0), changes.splice(0)]).toEqual([['a', 'b', 'd', 'c'], ['everywhere']])
    unwatch?.()
    await storage.write('everywhere', { put: new Map([['id', 1]]) })
    await storage.removeAll('conversation/')
    await other.storage.read('everywhere')
    expect([told, changes]).toEqual([[undefined], []])
  })

  test('let what is allowed everywhere hold in another browser at once, until it is taken back', async () => {
    const place = await start()
    const [first, second] = [connect(place, 'ada'), connect(place, 'bob')]
    const [giver, other] = [openPage(first), openPage(second, 'other')]
    await Promise.all([giver.ready, other.ready])
    await giver.sendMessage('write a')
    await giver.runPluginCommand('tool', 'resumeToolCall', {
      toolCallId: '1',
      outcome: 'yes_always',
      scope: { covers: 'tool', where: 'everywhere' },
    })
    await untilState(other, ({ confirmations }) => confirmations.length > 0)
    expect(await other.sendMessage('write a')).toMatchObject({ requestState: 'completed' })
    const [given] = giver.getState().confirmations
    await storedConversations(second.storage).revokeEverywhere(given?.id ?? '')
    await untilState(giver, ({ confirmations }) =>
      confirmations.some((one) => 'revokes' in one && one.revokes === given?.id),
    )
    await Promise.all([giver.dispose(), other.dispose()])
  })

  test('refuse what a page writes as a holder that it no longer is', async () => {
    const place = await start()
    const [first, second] = [connect(place), connect(place)]
    const over = Promise.withResolvers<void>()
    const isHeld = Promise.withResolvers<void>()
    const held = first.locks.request('assent:c', {}, async () => {
      isHeld.resolve()
      await over.promise
    })
    const lost = held.catch((error: unknown) => error)
    await isHeld.promise
    const fence = await first.storage.fence('conversation/c')
    await first.storage.write('conversation/c', { put: new Map([['about', 1]]) }, { fence })
    // As after this process had stood still for longer than its lease.
    database.sqlite.exec('UPDATE conversation_leases SET epoch = epoch + 1')
    const put = new Map([['about', 2]])
    const late = first.storage.write('conversation/c', { put }, { fence })
    await expect(late).rejects.toMatchObject({ code: 'fenced' })
    expect(await lost).toMatchObject({ name: 'AbortError' })
    expect((await second.storage.read('conversation/c')).get('about')).toBe(1)
    over.resolve()
  })

  test('come back with the server, and a page that had one open leads it again', async () => {
    const before = await start()
    const client = connect(before)
    const engine = openPage(client)
    void engine.sendMessage('write a')
    await untilState(engine, ({ requestState }) => requestState === 'paused')
    await before.end()
    await vi.waitFor(() => expect(engine.role()).toBe('mirror'))
    await expect(client.storage.read('conversation/c')).rejects.toThrow('no connection')
    await start(before.port)
    await vi.waitFor(() => expect(engine.role()).toBe('holder'), { timeout: 10_000 })
    await engine.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '1' })
    await untilState(engine, ({ requestState }) => requestState === 'completed')
    engine.dispose()
  })

  test('are shared by the servers of two processes with one file', async () => {
    const scratch = createScratchWorkspace()
    const path = join(scratch.path, 'assent.db')
    const files = [openDatabase(path), openDatabase(path)] as const
    const [one, other] = [await start(0, files[0]), await start(0, files[1])]
    const holder = openPage(connect(one, 'ada'))
    await holder.ready
    const mirror = openPage(connect(other, 'bob'))
    void holder.sendMessage('write a')
    await untilState(mirror, ({ requestState }) => requestState === 'paused')
    expect([holder.role(), mirror.role()]).toEqual(['holder', 'mirror'])
    const decided = await mirror.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '1' })
    expect(decided).toMatchObject({ success: true })
    await untilState(mirror, ({ requestState }) => requestState === 'completed')
    expect(holder.getState().messages).toEqual(mirror.getState().messages)
    await one.end()
    await vi.waitFor(() => expect(mirror.role()).toBe('holder'), { timeout: 10_000 })
    holder.dispose()
    mirror.dispose()
    await other.end()
    for (const file of files) file.close()
    scratch.remove()
  })

  test('are for pages of this origin', async () => {
    const { port } = await start()
    const knock = async (origin: string, host = `localhost:${port}`) => {
      const asked = request({
        port,
        path: '/api/conversations',
        headers: {
          origin,
          host,
          upgrade: 'websocket',
          connection: 'upgrade',
          'sec-websocket-version': '13',
          'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
        },
      }).end()
      const answered = once(asked, 'response').then(([response]) => response.statusCode)
      const status = await Promise.race([answered, once(asked, 'upgrade').then(() => 101)])
      asked.destroy()
      return status
    }
    expect(await knock('http://elsewhere.example')).toBe(403)
    // A page elsewhere can have its own name lead to this machine.
    expect(await knock('http://elsewhere.example', 'elsewhere.example')).toBe(403)
    expect(await knock('null', 'null')).toBe(403)
    expect(await knock('http://127.0.0.1:1', '127.0.0.1:1')).toBe(101)
    expect(await knock(`http://localhost:${port}`)).toBe(101)
  })

  test('are held by a page or by a worker, never by both', async () => {
    const worker = await sqliteConversations(database).hold('c')
    const engine = openPage(connect(await start()))
    void engine.sendMessage('write a')
    await expect
      .poll(() => database.sqlite.prepare('SELECT 1 FROM conversation_records').get())
      .toBeUndefined()
    expect(engine.role()).toBe('mirror')
    await worker?.release()
    await untilState(engine, ({ requestState }) => requestState === 'paused')
    expect(await sqliteConversations(database).hold('c')).toBeUndefined()
    engine.dispose()
  })
})
