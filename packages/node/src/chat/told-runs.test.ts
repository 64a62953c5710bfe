import { connect, type Socket } from 'node:net'
import type { UIMessage } from 'ai'
import { describe, expect, onTestFinished, test } from 'vitest'
import { answered, ask, callsOf, question, startAsking } from '../../test/asking-server.ts'
import { readEvents, userMessage } from '../../test/raw-chat.ts'
import type { ModelStep } from '../../test/scripted-model.ts'
import { openDatabase, type AssentDatabase } from '../sqlite/open-database.ts'
import type { AnswerEnd, ChatHandlerOptions } from './chat-options.ts'
import { memoryLedger } from './memory-ledger.ts'
import { sqliteLedger } from './sqlite-ledger.ts'

type Steps = readonly ModelStep[]

/** A server that asks nobody. */
const start = (
  steps: Steps,
  more: Partial<ChatHandlerOptions>,
  execute?: (to: string) => unknown,
) => startAsking(steps, { toolApproval: {}, ...more }, execute)

/** A database for the servers of a test, which are as many processes. */
function shared(): AssentDatabase {
  const database = openDatabase(':memory:')
  onTestFinished(() => database.close())
  return database
}

const untoldIn = ({ sqlite }: AssentDatabase) =>
  sqlite.prepare('SELECT count(*) AS n FROM untold_run').get()?.['n']

/** Posts as a page whose socket nobody reads. */
function postUnread(origin: string, messages: readonly UIMessage[]): Socket {
  const { hostname, port, host } = new URL(origin)
  const body = JSON.stringify({ id: 'chat', messages })
  // Paused before it is there: Node itself reads nothing of it, either.
  const socket = connect(Number(port), hostname).pause()
  onTestFinished(() => void socket.destroy())
  const head = `POST /api/chat HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json`
  socket.write(`${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  return socket
}

const again = [['2', 'send', { to: 'ada' }]] satisfies ModelStep
const toBob = [['2', 'send', { to: 'bob' }]] satisfies ModelStep
const regenerate = { body: { trigger: 'regenerate-message' } }

describe.each([
  ['memory', () => ({ ledger: memoryLedger() })],
  ['a database', () => ({ ledger: sqliteLedger(shared()) })],
])('with a ledger in %s, a call that ran unasked', (_place, makeLedger) => {
  test('does not run again for a page that never read its answer', async () => {
    const ledger = makeLedger()
    const ended = Promise.withResolvers<AnswerEnd>()
    const first = await start([ask, 'Sent.'], { ...ledger, onFinish: ended.resolve })
    const socket = postUnread(first.origin, question)
    expect(await ended.promise).toMatchObject({ outcome: 'finished' })
    // The system takes the answer, and the page has none of it.
    expect(socket.bytesRead).toBe(0)
    socket.destroy()
    const second = await start([ask, 'Sent.'], ledger)
    const messages = await answered(question, await second.chat.post(question))
    expect([first.effects, second.effects]).toEqual([['send ada'], []])
    expect(callsOf(messages)[0]).toMatchObject({ toolCallId: '1', output: 'receipt 1' })
  })

  test('does not run again for the same request at another process', async () => {
    const ledger = makeLedger()
    const named = { body: { requestId: 'turn/1' } }
    const first = await start([ask, 'Sent.'], ledger)
    expect(await readEvents(await first.chat.post(question, named)).rest()).toContain('Sent.')
    const second = await start([ask, 'Sent.'], ledger)
    const messages = await answered(question, await second.chat.post(question, named))
    expect([first.effects, second.effects]).toEqual([['send ada'], []])
    expect(callsOf(messages)[0]).toMatchObject({ toolCallId: '1', output: 'receipt 1' })
  })

  test('begins another answer that a page with the first one asks for, and asks before the same again', async () => {
    const server = await start([ask, 'Sent.', 'Well, sent.', again], makeLedger())
    await answered(question, await server.chat.post(question))
    const other = await answered(question, await server.chat.post(question, regenerate))
    const call = { toolCallId: '1', state: 'output-available', output: 'receipt 1' }
    expect(callsOf(other)).toMatchObject([call])
    expect(other.at(-1)?.parts.at(-1)).toMatchObject({ text: 'Well, sent.' })
    const third = await answered(question, await server.chat.post(question, regenerate))
    expect(callsOf(third)).toMatchObject([call, { toolCallId: '2', state: 'approval-requested' }])
    expect(server.effects).toEqual(['send ada'])
  })

  test('begins the answer to what was edited, and a call of another input runs', async () => {
    const server = await start([ask, 'Sent.', toBob, 'Sent.'], makeLedger())
    await answered(question, await server.chat.post(question))
    const edited = [userMessage('Send it to Bob')]
    const messages = await answered(edited, await server.chat.post(edited))
    expect(callsOf(messages)).toMatchObject([
      { toolCallId: '1', input: { to: 'ada' }, output: 'receipt 1' },
      { toolCallId: '2', input: { to: 'bob' }, output: 'receipt 2' },
    ])
    expect(server.effects).toEqual(['send ada', 'send bob'])
  })

  test('is told by a request that has its output: the same again is a new call', async () => {
    const steps: Steps = [ask, 'Sent.', again, 'Sent again.', ask, 'Sent.']
    const server = await start(steps, makeLedger())
    const told = await answered(question, await server.chat.post(question))
    const more = [...told, userMessage('Once more')]
    const messages = await answered(more, await server.chat.post(more))
    expect(callsOf(messages)).toMatchObject([{ toolCallId: '2', output: 'receipt 2' }])
    // What was told and is thrown away then is not told again; what was not told yet, is.
    const anew = await answered(question, await server.chat.post(question, regenerate))
    expect(callsOf(anew)[0]).toMatchObject({ toolCallId: '2', output: 'receipt 2' })
    expect(callsOf(anew)[1]).toMatchObject({ toolCallId: '1', state: 'approval-requested' })
    expect(server.effects).toHaveLength(2)
  })

  test('is told by one of two tabs; the other one, which never had it, has a new call', async () => {
    const server = await start([ask, 'Sent.', 'Fine.', again, 'Sent.'], makeLedger())
    const first = await answered(question, await server.chat.post(question))
    const more = [...first, userMessage('Thanks')]
    expect(callsOf(await answered(more, await server.chat.post(more)))).toEqual([])
    const other = await answered(question, await server.chat.post(question))
    expect(callsOf(other)).toMatchObject([{ toolCallId: '2', output: 'receipt 2' }])
  })

  test('begins the answer of a second tab, and is told once, by whichever has it first', async () => {
    const server = await start([ask, 'Sent.', 'For the second.', 'Fine.', 'Fine.'], makeLedger())
    const first = await answered(question, await server.chat.post(question))
    const asked = [userMessage('What of Ada?')]
    const second = await answered(asked, await server.chat.post(asked))
    for (const tab of [first, second]) {
      expect(callsOf(tab)).toMatchObject([{ toolCallId: '1', output: 'receipt 1' }])
      const more = [...tab, userMessage('And?')]
      expect(callsOf(await answered(more, await server.chat.post(more)))).toEqual([])
    }
    expect(server.effects).toEqual(['send ada'])
  })
})

describe('a run is told', () => {
  test('by the words in which it failed', async () => {
    const database = shared()
    const server = await start([ask, 'No.', 'No, really.', again, 'Now.'], { database }, () => {
      if (server.effects.length === 1) throw new Error('no such address')
      return 'a receipt'
    })
    const failed = await answered(question, await server.chat.post(question))
    expect(callsOf(failed)).toMatchObject([{ errorText: 'Error: no such address' }])
    expect(untoldIn(database)).toBe(1)
    const more = [...failed, userMessage('Really?')]
    await (await server.chat.post(more)).text()
    expect(untoldIn(database)).toBe(0)
  })

  test('not by a page that has closed the call itself: asked for another answer, it does not run again', async () => {
    const database = shared()
    const server = await start([ask, 'Sent.', 'Fine.', ask, 'Sent.'], { database })
    const has = await answered(question, await server.chat.post(question))
    const closed = structuredClone(has)
    for (const part of callsOf(closed)) {
      Object.assign(part, { state: 'output-error', errorText: 'Cut off.', output: undefined })
    }
    const more = [...closed, userMessage('And?')]
    await (await server.chat.post(more)).text()
    expect(JSON.stringify(server.model.doStreamCalls[2]?.prompt)).toContain('receipt 1')
    expect(untoldIn(database)).toBe(1)
    const other = await answered(question, await server.chat.post(question, regenerate))
    expect(callsOf(other)[0]).toMatchObject({ toolCallId: '1', output: 'receipt 1' })
    expect(server.effects).toEqual(['send ada'])
  })

  test('by no other user, and in no other conversation', async () => {
    const database = shared()
    const server = await start([ask, 'Sent.', 'Hm.', 'Hm.', ask, 'Sent.'], {
      database,
      authorize: ({ headers }) => headers.get('x-user') ?? 'ada',
    })
    const has = await answered(question, await server.chat.post(question))
    const more = [...has, userMessage('And?')]
    await (await server.chat.post(more, { headers: { 'x-user': 'eve' } })).text()
    await (await server.chat.post(more, { id: 'another' })).text()
    expect(untoldIn(database)).toBe(1)
    await (await server.chat.post(question)).text()
    expect(server.effects).toEqual(['send ada'])
  })

  test('again where the ledger could not note it, and the answer goes on', async () => {
    const database = shared()
    const real = sqliteLedger(database)
    const ledger = { ...real, told: () => Promise.reject(new Error('disk full')) }
    const server = await start([ask, 'Sent.', 'Fine.'], { ledger })
    const has = await answered(question, await server.chat.post(question))
    const more = [...has, userMessage('And?')]
    const messages = await answered(more, await server.chat.post(more))
    expect(messages.at(-1)?.parts.at(-1)).toMatchObject({ text: 'Fine.' })
    expect(server.errors).toMatchObject([{ code: 'ledger_failed' }])
    expect(untoldIn(database)).toBe(1)
  })
})
