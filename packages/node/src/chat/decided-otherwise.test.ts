import { assentMetadata, toolCallStatus } from '@assent/engine'
import { untilState } from '@assent/engine/testing'
import { describe, expect, test } from 'vitest'
import { answered, ask, asked, callsOf, decided, startAsking } from '../../test/asking-server.ts'
import { connectEngine } from '../../test/chat-client.ts'
import { memoryLedger } from './memory-ledger.ts'

/** Two pages that show the same question, of which the first decides first. */
async function twoPages(
  server: Awaited<ReturnType<typeof startAsking>>,
  first: 'yes' | 'no',
  second: 'yes' | 'no',
) {
  const one = connectEngine(server.api, {}, { id: 'chat' })
  await one.engine.sendMessage('go')
  const { messages } = one.engine.getState()
  const other = connectEngine(server.api, {}, { id: 'chat', messages: structuredClone(messages) })
  await other.engine.ready
  await one.resume({ toolCallId: '1', outcome: first })
  await one.completed()
  await other.resume({ toolCallId: '1', outcome: second, reason: 'I would rather not' })
  await untilState(other.engine, ({ requestState }) => requestState !== 'processing')
  return { one, other }
}

describe('a page whose decision comes after another one', () => {
  test('shows what the call gave that it denied, and that it was approved before', async () => {
    const server = await startAsking([ask, 'Sent.', 'Sent.'])
    const { other } = await twoPages(server, 'yes', 'no')
    const [call] = other.calls()
    expect(other.engine.getState()).toMatchObject({ requestState: 'completed', error: undefined })
    expect(call).toMatchObject({
      state: 'output-available',
      output: 'receipt 1',
      approval: { approved: true },
    })
    expect(call?.approval).not.toHaveProperty('reason')
    expect(assentMetadata(call!)).toMatchObject({ overruled: 'no' })
    expect(server.effects).toEqual(['send ada'])
  })

  test('shows how the call failed that it denied', async () => {
    const server = await startAsking([ask, 'Failed.', 'Failed.'], {}, () => {
      throw new Error('no such address')
    })
    const { other } = await twoPages(server, 'yes', 'no')
    expect(other.calls()).toMatchObject([
      { state: 'output-error', errorText: 'Error: no such address', approval: { approved: true } },
    ])
    expect(server.effects).toEqual(['send ada'])
  })

  test('shows that the call it approved was denied before, and did not run', async () => {
    const server = await startAsking([ask, 'Then not.', 'Then not.'])
    const { other } = await twoPages(server, 'no', 'yes')
    const [call] = other.calls()
    expect(other.engine.getState()).toMatchObject({ requestState: 'completed', error: undefined })
    expect(call).toMatchObject({ state: 'output-denied', approval: { approved: false } })
    expect(assentMetadata(call!)).toMatchObject({ overruled: 'yes', ledger: 'denied' })
    expect(toolCallStatus(call!)).toBe('denied')
    expect(server.effects).toEqual([])
    expect(JSON.stringify(server.model.doStreamCalls.at(-1)?.prompt)).toMatch(/denied/)
  })

  test.each(['yes', 'no'] as const)('does not send it again: %s', async (second) => {
    const server = await startAsking([ask, 'So.', 'So.', 'Fine.'])
    const { other } = await twoPages(server, second === 'yes' ? 'no' : 'yes', second)
    const [before] = other.calls()
    expect(await other.engine.sendMessage('thanks')).toMatchObject({ requestState: 'completed' })
    expect(other.calls()[0]).toEqual(before)
    expect(server.effects).toHaveLength(second === 'yes' ? 0 : 1)
  })
})

describe('a no that comes after a yes', () => {
  test('whose call nobody has begun keeps it from being run', async () => {
    const ledger = memoryLedger()
    const locked = () => Promise.reject(new Error('The database is locked.'))
    const first = await startAsking([ask, 'Not sent.'], { ledger: { ...ledger, claim: locked } })
    const paused = await asked(first)
    await (await first.chat.post(decided(paused, true))).text()
    const second = await startAsking(['Then not.', 'Too late.'], { ledger })
    const denied = await answered(paused, await second.chat.post(decided(paused, false)))
    expect(callsOf(denied)).toMatchObject([{ state: 'output-denied' }])
    const again = await answered(paused, await second.chat.post(decided(paused, true)))
    expect(callsOf(again)).toMatchObject([{ state: 'output-denied' }])
    expect([first.effects, second.effects]).toEqual([[], []])
  })

  test('never runs the call, not even with a ledger that lets the yes stand', async () => {
    const ledger = { ...memoryLedger(), decide: async () => true }
    const server = await startAsking([ask, 'Then not.'], { ledger })
    const paused = await asked(server)
    await (await server.chat.post(decided(paused, false))).text()
    expect(server.effects).toEqual([])
  })
})
