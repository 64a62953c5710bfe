import { toolPlugin } from '@assent/engine'
import { connectConversations, type ServerConversations } from '@assent/engine/remote'
import { createSharedEngine, type SharedEngine } from '@assent/engine/shared'
import { defineStorage } from '@assent/engine/storage'
import {
  answer,
  callTools,
  scriptedTransport,
  untilState,
  type ScriptedTransport,
} from '@assent/engine/testing'
import { jsonSchema, tool } from 'ai'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openWorld, type World } from '../../../node/test/kills/world.ts'
import { startNode, type NodeProcess } from '../../../node/test/node-process.ts'
import { createTestDatabase, type TestDatabase } from '../../test/test-database.ts'

const FIXTURES = new URL('../../test/', import.meta.url).pathname

interface ConversationProcess {
  readonly url: string
  readonly process: NodeProcess
}

let test: TestDatabase
let world: World
const running = new Set<NodeProcess>()
const clients: ServerConversations[] = []
const engines: SharedEngine[] = []

beforeAll(async () => {
  test = await createTestDatabase()
})

beforeEach(async () => {
  world = await openWorld()
})

afterEach(async () => {
  for (const engine of engines.splice(0)) engine.dispose()
  for (const client of clients.splice(0)) client.close()
  for (const one of running) one.kill()
  await Promise.all([...running].map(({ ended }) => ended))
  running.clear()
  await world.close()
  await test.empty()
})

afterAll(() => test.end())

function start(file: string, ...args: string[]): NodeProcess {
  const started = startNode(`${FIXTURES}${file}`, test.url, ...args)
  running.add(started)
  return started
}

async function startServer(port = '0'): Promise<ConversationProcess> {
  const process = start('conversation-server.fixture.ts', port)
  return { process, url: await process.line() }
}

async function startHolder(): Promise<NodeProcess> {
  const process = start('holding-process.fixture.ts', world.url, 'c')
  expect(await process.line()).toBe('holds')
  return process
}

async function kill(process: NodeProcess): Promise<void> {
  process.kill()
  await process.ended
  running.delete(process)
}

/** The conversation `c`, as a page in a browser has it open. */
function openPage(url: string, transport: ScriptedTransport = scriptedTransport([])): SharedEngine {
  const client = connectConversations({ url })
  clients.push(client)
  const ask = tool({
    inputSchema: jsonSchema<{ key: string }>({ type: 'object' }),
    needsApproval: true,
    async execute({ key }) {
      return (await fetch(`${world.url}/effect`, { method: 'POST', body: key })).text()
    },
  })
  const { storage, locks, channel } = client
  const engine = createSharedEngine({
    id: 'c',
    storage: defineStorage(storage),
    locks,
    channel,
    transport,
    plugins: [toolPlugin({ tools: { ask } })],
    // Connections are cut.
    onError: () => undefined,
  })
  engines.push(engine)
  return engine
}

const askFor = (key: string) =>
  callTools({ toolCallId: `call-${key}`, toolName: 'ask', input: { key } })

const approve = (engine: SharedEngine, key: string) =>
  engine.runPluginCommand('tool', 'resumeToolCall', { toolCallId: `call-${key}` })

/** Resolves when the page leads the conversation. */
function untilHolder(engine: SharedEngine): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (engine.role() !== 'holder') return
      stop()
      resolve()
    }
    const stop = engine.subscribe(look)
    look()
  })
}

describe('a conversation that is open at two servers', () => {
  it('is seen at both, decided at the other, and stopped there', async () => {
    const [one, other] = await Promise.all([startServer(), startServer()])
    const transport = scriptedTransport([askFor('k1'), answer('Done.')])
    const holder = openPage(one.url, transport)
    await untilHolder(holder)
    const mirror = openPage(other.url)
    void holder.sendMessage('go')
    await untilState(mirror, ({ requestState }) => requestState === 'paused')
    expect(mirror.role()).toBe('mirror')

    expect(await approve(mirror, 'k1')).toMatchObject({ success: true })
    await untilState(mirror, ({ requestState }) => requestState === 'completed')
    expect(mirror.getState().messages).toEqual(holder.getState().messages)
    expect([...world.effects]).toEqual([['k1', 1]])

    transport.hold()
    const sent = mirror.sendMessage('and on')
    await untilState(holder, ({ requestState }) => requestState === 'processing')
    await mirror.abort()
    expect(holder.getState().requestState).toBe('aborted')
    expect(await sent).toMatchObject({ requestState: 'aborted' })
  })

  it('is taken over at the other when the server of its holder is killed', async () => {
    const [one, other] = await Promise.all([startServer(), startServer()])
    const holder = openPage(one.url, scriptedTransport([askFor('k1')]))
    await untilHolder(holder)
    const mirror = openPage(other.url, scriptedTransport([answer('Done.')]))
    void holder.sendMessage('go')
    await untilState(mirror, ({ requestState }) => requestState === 'paused')
    await kill(one.process)
    // A decision that nobody could take yet is taken by the next holder.
    const decided = approve(mirror, 'k1')
    await untilHolder(mirror)
    expect(await decided).toMatchObject({ success: true })
    await untilState(mirror, ({ requestState }) => requestState === 'completed')
    expect([...world.effects]).toEqual([['k1', 1]])
    expect(holder.role()).toBe('mirror')
  })

  it('gets a decision once that was made while the server of its page was down', async () => {
    const [one, other] = await Promise.all([startServer(), startServer()])
    const holder = openPage(one.url, scriptedTransport([askFor('k1'), answer('Done.')]))
    await untilHolder(holder)
    const mirror = openPage(other.url)
    void holder.sendMessage('go')
    await untilState(mirror, ({ requestState }) => requestState === 'paused')
    await kill(other.process)
    const decided = approve(mirror, 'k1')
    await startServer(new URL(other.url).port)
    expect(await decided).toMatchObject({ success: true })
    await untilState(mirror, ({ requestState }) => requestState === 'completed')
    expect([...world.effects]).toEqual([['k1', 1]])
  })

  it('tells pages of the other that the list is another one', async () => {
    const [one, other] = await Promise.all([startServer(), startServer()])
    const holder = openPage(one.url, scriptedTransport([answer('Done.')]))
    await untilHolder(holder)
    const listed = Promise.withResolvers<void>()
    let isConnected = false
    const client = connectConversations({
      url: other.url,
      onListed() {
        // The first time is its own beginning.
        if (isConnected) listed.resolve()
        isConnected = true
      },
    })
    clients.push(client)
    expect((await client.storage.list('about')).size).toBe(0)
    void holder.sendMessage('go')
    await listed.promise
    expect((await client.storage.list('about')).size).toBe(1)
  })
})

describe('a conversation that a process without a page holds', () => {
  it('is seen at two servers, decided at one, and stopped at the other', async () => {
    const [one, other] = await Promise.all([startServer(), startServer()])
    const worker = await startHolder()
    const [first, second] = [openPage(one.url), openPage(other.url)]
    await Promise.all([first.ready, second.ready])
    worker.say('ask k1')
    const atPause = ({ requestState }: { requestState: string }) => requestState === 'paused'
    await Promise.all([untilState(first, atPause), untilState(second, atPause)])
    expect([first.role(), second.role()]).toEqual(['mirror', 'mirror'])

    expect(await approve(second, 'k1')).toMatchObject({ success: true })
    await untilState(first, ({ requestState }) => requestState === 'completed')
    await untilState(second, ({ requestState }) => requestState === 'completed')
    expect(first.getState().messages).toEqual(second.getState().messages)
    expect([...world.effects]).toEqual([['k1', 1]])

    // It waits for a model that does not answer.
    const asked = Promise.withResolvers<void>()
    const never = Promise.withResolvers<void>()
    world.onMoment = (moment) => {
      if (moment !== 'asked') return undefined
      asked.resolve()
      return never.promise
    }
    worker.say('say k2')
    await asked.promise
    await untilState(first, ({ requestState }) => requestState === 'processing')
    await first.abort()
    await untilState(second, ({ requestState }) => requestState === 'aborted')
    never.resolve()
  })

  it('is taken over by a page, with what waits, when that process is killed', async () => {
    const server = await startServer()
    const worker = await startHolder()
    const page = openPage(server.url, scriptedTransport([answer('Done.')]))
    await page.ready
    worker.say('ask k1')
    await untilState(page, ({ requestState }) => requestState === 'paused')
    await kill(worker)
    await untilHolder(page)
    expect(await approve(page, 'k1')).toMatchObject({ success: true })
    await untilState(page, ({ requestState }) => requestState === 'completed')
    expect([...world.effects]).toEqual([['k1', 1]])
  })

  it('leaves a call interrupted that ran when that process was killed', async () => {
    const server = await startServer()
    const worker = await startHolder()
    const page = openPage(server.url, scriptedTransport([answer('So be it.')]))
    await page.ready
    worker.say('ask k1')
    await untilState(page, ({ requestState }) => requestState === 'paused')
    const ran = Promise.withResolvers<void>()
    world.onMoment = async (moment) => {
      if (moment !== 'after-effect') return
      await kill(worker)
      ran.resolve()
    }
    const decided = approve(page, 'k1')
    await ran.promise
    await untilHolder(page)
    await decided
    await untilState(page, ({ requestState }) => requestState !== 'processing')
    expect(JSON.stringify(page.getState().messages)).toContain('nterrupted')
    expect([...world.effects]).toEqual([['k1', 1]])
  })
})
