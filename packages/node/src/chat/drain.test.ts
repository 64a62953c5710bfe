import { join } from 'node:path'
import { format } from 'node:util'
import { httpTransport } from '@assent/engine'
import { jsonSchema, tool } from 'ai'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { ask, asked, decided, errorOf, question } from '../../test/asking-server.ts'
import { connectEngine } from '../../test/chat-client.ts'
import { mounts } from '../../test/mounts.ts'
import { startNode } from '../../test/node-process.ts'
import { rawChat, readEvents, userMessage } from '../../test/raw-chat.ts'
import { remoteModel } from '../../test/remote-model.ts'
import { createScratch } from '../../test/scratch.ts'
import { scriptedModel } from '../../test/scripted-model.ts'
import { SECRET, serveListener } from '../../test/serve-chat.ts'
import { talkingModel } from '../../test/talking-model.ts'
import type { ChatHandlerOptions } from './chat-options.ts'
import { createChatHandler } from './create-chat-handler.ts'
import { toNodeListener } from './node-listener.ts'

const FIXTURE = join(import.meta.dirname, '../../test/drained-server.fixture.ts')

async function start(options: ChatHandlerOptions) {
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  const handler = createChatHandler({ approvalSecret: SECRET, onError, ...options })
  const origin = await serveListener(toNodeListener(handler, onError))
  return { handler, errors, api: `${origin}/api/chat`, chat: rawChat(`${origin}/api/chat`) }
}

async function talk() {
  const { model, answer } = talkingModel()
  return { ...(await start({ model })), answer }
}

describe('a handler that drains', () => {
  test('is done at once when nothing is under way, and takes nothing more', async () => {
    const { handler, chat } = await talk()
    await handler.drain()
    const refused = await chat.post(question)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(await errorOf(refused)).toMatchObject({ status: 503, code: 'draining' })
    // Another server may have that answer.
    expect(await errorOf(await chat.resume())).toMatchObject({ status: 503, code: 'draining' })
  })

  test('lets an answer come to its end, and be taken up and stopped meanwhile', async () => {
    const { handler, chat, answer, errors } = await talk()
    const first = readEvents(await chat.post(question))
    const other = readEvents(await chat.post(question, { id: 'other' }))
    const [spoken, stopped] = [await answer(1), await answer(2)]
    spoken.say('One ')
    await first.until('One ')
    let isDrained = false
    const drained = handler.drain().then(() => (isDrained = true))
    expect((await chat.post([userMessage('More')], { id: 'third' })).status).toBe(503)
    const again = readEvents(await chat.resume())
    await chat.stop('other')
    await stopped.aborted
    expect(await other.rest()).toContain('"abort"')
    await again.until('One ')
    expect(isDrained).toBe(false)
    spoken.say('two.')
    spoken.finish()
    const whole = await first.rest()
    expect(whole).toMatch(/One .*two\..*\[DONE\]/s)
    expect(await again.rest()).toBe(whole)
    await drained
    expect(errors).toEqual([])
  })

  test('cuts off what takes too long, so that nobody takes it for an answer that has ended', async () => {
    const { handler, chat, answer, errors } = await talk()
    const reader = readEvents(await chat.post(question))
    const spoken = await answer(1)
    spoken.say('One ')
    await reader.until('One ')
    await handler.drain({ timeoutMs: 20 })
    await spoken.aborted
    await expect(reader.rest()).rejects.toThrow('terminated')
    expect(reader.text).not.toMatch(/"abort"|"error"|\[DONE\]/)
    expect(errors).toEqual([])
  })

  test('waits for a tool whose page has left, and for its outcome in the ledger', async () => {
    const begun = Promise.withResolvers<void>()
    const receipt = Promise.withResolvers<string>()
    const send = tool({
      inputSchema: jsonSchema<{ to: string }>({ type: 'object' }),
      execute: () => {
        begun.resolve()
        return receipt.promise
      },
    })
    const toolApproval = { send: 'user-approval' as const }
    const model = scriptedModel([ask, 'Else.'])
    const server = await start({ model, tools: { send }, toolApproval, ledger: 'memory' })
    const approved = decided(await asked(server), true)
    const first = readEvents(await server.chat.post(approved))
    await begun.promise
    await first.leave()
    await readEvents(await server.chat.post([userMessage('Something else')])).rest()
    const drained = vi.fn<() => void>()
    const draining = server.handler.drain().then(drained)
    await new Promise((resolve) => void setImmediate(resolve))
    expect(drained).not.toHaveBeenCalled()
    receipt.resolve('receipt 1')
    await draining
  })
})

describe.each(mounts)('an answer that is cut off, served by %s', (_, mount) => {
  test('breaks off, and no trace is printed as of a fault', async () => {
    const printed: string[] = []
    const print = (...words: unknown[]) => void printed.push(format(...words))
    const spies = [vi.spyOn(console, 'error'), vi.spyOn(process, 'emitWarning')]
    for (const spy of spies) spy.mockImplementation(print)
    onTestFinished(() => {
      for (const spy of spies) spy.mockRestore()
    })
    const { model, answer } = talkingModel()
    const handler = createChatHandler({ model, approvalSecret: SECRET, onError: print })
    const chat = rawChat(`${await serveListener(await mount(handler))}/api/chat`)
    const reader = readEvents(await chat.post(question))
    const spoken = await answer(1)
    spoken.say('One ')
    await reader.until('One ')
    await handler.drain({ timeoutMs: 20 })
    await spoken.aborted
    await expect(reader.rest()).rejects.toThrow('terminated')
    expect(printed.filter((text) => /\n\s+at /.test(text))).toEqual([])
  })
})

function databasePath(): string {
  const { path, remove } = createScratch()
  onTestFinished(remove)
  return join(path, 'chat.db')
}

/** A process with a server, on a database that it shares with the next one. */
async function startProcess(path: string, model: string, timeoutMs: number, effect = model) {
  const server = startNode(FIXTURE, path, model, effect, String(timeoutMs))
  onTestFinished(server.kill)
  const origin = await server.line()
  return {
    origin,
    server,
    chat: rawChat(`${origin}/api/chat`),
    async terminate() {
      process.kill(server.pid, 'SIGTERM')
      expect(await server.line()).toBe('draining')
    },
  }
}

describe('a process that is told to go (SIGTERM)', () => {
  test('ends its answers, refuses others, and is gone', async () => {
    const { url, answer } = await remoteModel()
    const first = await startProcess(databasePath(), url, 20_000)
    const reader = readEvents(await first.chat.post(question))
    const spoken = await answer(1)
    spoken.say('One ')
    await reader.until('One ')
    await first.terminate()
    const refused = await first.chat.post([userMessage('More')], { id: 'other' })
    expect(await errorOf(refused)).toMatchObject({ status: 503, code: 'draining' })
    spoken.finish()
    expect(await reader.rest()).toMatch(/"finish".*\[DONE\]/s)
    expect(await first.server.ended).toBe(0)
  })

  test('cuts off an answer that takes too long; its page, and one that sends meanwhile, go on elsewhere', async () => {
    const { url, answer } = await remoteModel()
    const path = databasePath()
    const first = await startProcess(path, url, 200)
    const next = await startProcess(path, url, 200)
    let { origin } = first
    const waits: number[] = []
    const connect = () => {
      const transport = httpTransport({
        api: 'http://chat/api/chat',
        fetch: (address, init) => fetch(String(address).replace('http://chat', origin), init),
        retry: {
          // What is refused goes to the next server, as behind a balancer.
          sleep: async (ms) => {
            waits.push(ms)
            origin = next.origin
          },
        },
      })
      return connectEngine('', {}, { transport, onError: () => undefined })
    }
    const [reading, sending] = [connect(), connect()]
    const cut = reading.engine.sendMessage('Say something')
    const spoken = await answer(1)
    spoken.say('One ')
    await vi.waitFor(() => expect(reading.text()).toBe('One '))
    await first.terminate()
    const sent = sending.engine.sendMessage('Me, too')
    const other = await answer(2)
    expect(waits).toEqual([expect.any(Number)])
    expect(waits[0]).toBeGreaterThanOrEqual(1000)
    other.finish()
    expect(await sent).toMatchObject({ requestState: 'completed' })
    expect(await cut).toMatchObject({ requestState: 'error', error: { code: 'stream_cut' } })
    expect(await first.server.ended).toBe(0)
    const again = reading.engine.retry()
    const whole = await answer(3)
    whole.say('One two.')
    whole.finish()
    expect(await again).toMatchObject({ requestState: 'completed' })
    expect(reading.text()).toBe('One two.')
  })
})
