import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { LanguageModelV4Prompt, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { UIMessage } from 'ai'
import { readUIMessageStream, parseJsonEventStream, uiMessageChunkSchema } from 'ai'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { streamOf } from '../../node/test/kills/model-answer.ts'
import { openWorld, type World } from '../../node/test/kills/world.ts'
import { startNode, type NodeProcess } from '../../node/test/node-process.ts'
import { rawChat, readEvents, userMessage, type RawChat } from '../../node/test/raw-chat.ts'
import { createTestDatabase, type TestDatabase } from '../test/test-database.ts'

const isDeep = process.env['ASSENT_DEEP'] === '1'
const isSoak = process.env['ASSENT_SOAK'] === '1'
const ROUNDS = isSoak ? 200 : isDeep ? 20 : 3
const FIXTURE = new URL('../test/chat-server.fixture.ts', import.meta.url).pathname

/** One of the servers, in a process of its own. */
interface ChatServer {
  readonly chat: RawChat
  readonly process: NodeProcess
}

let test: TestDatabase
let world: World
const running = new Set<NodeProcess>()
let names = 0

beforeAll(async () => {
  test = await createTestDatabase()
})

beforeEach(async () => {
  world = await openWorld(askForTheCall)
})

afterEach(async () => {
  for (const one of running) one.kill()
  await Promise.all([...running].map(({ ended }) => ended))
  running.clear()
  await world.close()
  await test.empty()
})

afterAll(() => test.end())

async function startServer(worldUrl = world.url): Promise<ChatServer> {
  const process = startNode(FIXTURE, test.url, worldUrl, `server-${++names}`)
  running.add(process)
  return { process, chat: rawChat(await process.line()) }
}

/** Ends the leases of streams: as long as one holds, its process may only be slow. */
async function endLeases(): Promise<void> {
  await test.client.query('update assent.streams set until = 0 where ended is null')
}

/** Asks for one call with what the person said as its key, and then says that it is over. */
function askForTheCall(prompt: LanguageModelV4Prompt): readonly LanguageModelV4StreamPart[] {
  const asked = prompt.findLastIndex(({ role }) => role === 'user')
  const key = JSON.stringify(prompt[asked]?.content).match(/k\d+/)?.[0] ?? 'none'
  if (prompt.slice(asked).some(({ role }) => role === 'tool')) {
    return streamOf('stop', [
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'Over.' },
      { type: 'text-end', id: 't' },
    ])
  }
  const input = JSON.stringify({ key })
  return streamOf('tool-calls', [
    { type: 'tool-call', toolCallId: `call-${key}`, toolName: 'send', input },
  ])
}

/** The last message that a response makes of these. */
async function messageOf(response: Response, message?: UIMessage): Promise<UIMessage | undefined> {
  if (!response.ok || !response.body) return message
  const chunks = parseJsonEventStream({ stream: response.body, schema: uiMessageChunkSchema() })
  let last = message
  try {
    const stream = chunks.pipeThrough(
      new TransformStream({
        transform(part, controller) {
          if (part.success) controller.enqueue(part.value)
        },
      }),
    )
    for await (const next of readUIMessageStream({ stream, ...(message && { message }) }))
      last = next
  } catch {
    // It was cut off: what came is there.
  }
  return last
}

/** The message with its question answered by yes. */
function approved(message: UIMessage): UIMessage {
  const parts = message.parts.map((part) =>
    'approval' in part && part.state === 'approval-requested'
      ? { ...part, state: 'approval-responded', approval: { ...part.approval, approved: true } }
      : part,
  )
  return JSON.parse(JSON.stringify({ ...message, parts }))
}

function outputOf(message: UIMessage | undefined, toolCallId: string): string | undefined {
  for (const part of message?.parts ?? []) {
    if ('toolCallId' in part && part.toolCallId === toolCallId) return part.state
  }
  return undefined
}

describe('two servers of one chat, in processes of their own', () => {
  it(`run an approval that is posted to both once, in ${ROUNDS} rounds`, async () => {
    const [one, other] = await Promise.all([startServer(), startServer()])
    const keys = Array.from({ length: ROUNDS }, (_, index) => `k${index}`)
    for (const key of keys) {
      const question = userMessage(key)
      const asked = await messageOf(await one.chat.post([question], { id: key }))
      if (!asked) throw new Error('Nothing was asked.')
      const messages = [question, approved(asked)]
      const answers = await Promise.all(
        [one, other].map(async ({ chat }, index) =>
          messageOf(
            await chat.post(messages, { id: key, body: { requestId: `${key}/${index}` } }),
            approved(asked),
          ),
        ),
      )
      expect({ key, effects: world.effects.get(key) }).toEqual({ key, effects: 1 })
      // One of them at least was told.
      expect(answers.map((answer) => outputOf(answer, `call-${key}`))).toContain('output-available')
    }
    expect([...world.effects.keys()]).toEqual(keys)
  })

  it(`run no approval twice when the one that runs it is killed, in ${ROUNDS} rounds`, async () => {
    let [one, other] = await Promise.all([startServer(), startServer()])
    for (let round = 0; round < ROUNDS; round++) {
      const key = `k${round}`
      const question = userMessage(key)
      const asked = await messageOf(await other.chat.post([question], { id: key }))
      if (!asked) throw new Error('Nothing was asked.')
      const messages = [question, approved(asked)]
      const { process } = one
      const moment = round % 2 === 0 ? 'before-effect' : 'after-effect'
      const killed = new Promise<void>((resolve) => {
        world.onMoment = (now, _worker, sent) => {
          if (now !== moment || sent !== key) return
          world.onMoment = () => undefined
          process.kill()
          resolve()
        }
      })
      const first = one.chat.post(messages, { id: key, body: { requestId: `${key}/1` } })
      await killed
      await process.ended
      running.delete(process)
      await first.then((response) => response.text()).catch(() => undefined)
      await endLeases()
      // The page sends it again until it is answered, to the server that is left.
      let state: string | undefined
      while (state !== 'output-available' && state !== 'output-error') {
        const response = await other.chat.post(messages, {
          id: key,
          body: { requestId: `${key}/2` },
        })
        state = outputOf(await messageOf(response, approved(asked)), `call-${key}`)
      }
      expect({ key, effects: world.effects.get(key) }).toEqual({ key, effects: 1 })
      // Whoever ran it is gone: nobody says that it was done.
      expect(state).toBe('output-error')
      one = other
      other = await startServer()
    }
  })

  it('take up at one what the other streams, stop it there, and notice a dead one', async () => {
    const slow = await openSlowModel()
    try {
      const [one, other] = await Promise.all([startServer(slow.url), startServer(slow.url)])
      const begin = async (id: string) => {
        const reading = readEvents(await one.chat.post([userMessage('go')], { id }))
        const answer = await slow.answer()
        answer.say('One ')
        await reading.until('One ')
        return { reading, answer }
      }
      const taken = await begin('taken')
      const there = readEvents(await other.chat.resume('taken'))
      await there.until('One ')
      taken.answer.say('two ')
      await there.until('two ')
      taken.answer.finish()
      expect(await there.rest()).toBe(await taken.reading.rest())

      const stopped = await begin('stopped')
      const watching = readEvents(await other.chat.resume('stopped'))
      expect((await other.chat.stop('stopped')).status).toBe(204)
      expect(await watching.rest()).toContain('"type":"abort"')
      expect(await stopped.reading.rest()).toContain('"type":"abort"')

      await begin('dead')
      const orphan = readEvents(await other.chat.resume('dead'))
      await orphan.until('One ')
      // Its lease is not waited for: its connection is gone with it.
      await test.client.query('update assent.streams set until = until + 3600000')
      one.process.kill()
      await one.process.ended
      await expect(orphan.rest()).rejects.toThrow(/terminated/)
      expect((await other.chat.resume('dead')).status).toBe(410)
      const again = other.chat.post([userMessage('go')], { id: 'dead' })
      const next = await slow.answer()
      next.say('Again.')
      next.finish()
      expect(await readEvents(await again).rest()).toContain('Again.')
    } finally {
      await slow.close()
    }
  })
})

/** A model that says what it is told to, when it is told. */
async function openSlowModel() {
  const asked: ServerResponse[] = []
  const waiting: ((response: ServerResponse) => void)[] = []
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const next = waiting.shift()
      if (next) next(response)
      else asked.push(response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('There is no port.')
  return {
    url: `http://127.0.0.1:${address.port}`,
    /** The next answer that it is asked for. */
    async answer() {
      const response =
        asked.shift() ??
        (await new Promise<ServerResponse>((resolve) => {
          waiting.push(resolve)
        }))
      const line = (part: LanguageModelV4StreamPart): void =>
        void response.write(`${JSON.stringify(part)}\n`)
      const [start, ...rest] = streamOf('stop', [])
      if (start) line(start)
      line({ type: 'text-start', id: 't' })
      return {
        say: (delta: string) => line({ type: 'text-delta', id: 't', delta }),
        finish() {
          line({ type: 'text-end', id: 't' })
          for (const part of rest) line(part)
          response.end()
        },
      }
    },
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
