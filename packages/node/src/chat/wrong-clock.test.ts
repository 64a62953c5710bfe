import { describe, expect, onTestFinished, test } from 'vitest'
import {
  answered,
  ask,
  asked,
  callsOf,
  decided,
  errorOf,
  question,
  startAsking,
} from '../../test/asking-server.ts'
import { openDatabase } from '../sqlite/open-database.ts'
import { createChatHandler } from './create-chat-handler.ts'
import { memoryLedger } from './memory-ledger.ts'
import { sqliteLedger } from './sqlite-ledger.ts'

function database() {
  const opened = openDatabase(':memory:')
  onTestFinished(() => opened.close())
  return opened
}

const KEPT = [
  ['in memory', () => ({})],
  ['in a database', () => ({ database: database() })],
] as const

describe.each(KEPT)('a server whose clock tells no time, %s', (_, kept) => {
  test.each([NaN, Infinity, -Infinity, 1e300])('runs nothing, and says why: %s', async (time) => {
    const server = await startAsking([ask, 'Sent.'], kept())
    const paused = await asked(server)
    const { now } = server.clock
    server.clock.now = time
    const approvalId = callsOf(paused)[0]?.approval?.id
    expect(await errorOf(await server.chat.post(decided(paused, true)))).toEqual({
      status: 500,
      code: 'wrong-clock',
      message: "The server's clock tells no time; nothing was run.",
      refused: [{ approvalId, isOpen: false }],
    })
    expect(server.errors).toMatchObject([
      { code: 'wrong_clock', message: expect.stringContaining(`not ${time}`) },
    ])
    expect(server.effects).toEqual([])
    server.clock.now = now
    const later = await answered(paused, await server.chat.post(decided(paused, true)))
    expect(callsOf(later)).toMatchObject([{ state: 'output-available', output: 'receipt 1' }])
  })

  test('asks nothing that nobody could approve, and says why before the model is asked', async () => {
    const server = await startAsking([ask], kept())
    server.clock.now = NaN
    expect(await errorOf(await server.chat.post(question))).toEqual({
      status: 500,
      code: 'wrong-clock',
      message: "The server's clock tells no time; nothing was run.",
    })
    expect(server.errors).toMatchObject([{ code: 'wrong_clock' }])
    expect(server.model.doStreamCalls).toEqual([])
  })

  test('says so of a clock that goes wrong while the model answers', async () => {
    const server = await startAsking([ask], {
      ...kept(),
      toolApproval: {
        send: () => {
          server.clock.now = NaN
          return 'user-approval' as const
        },
      },
    })
    const events = await (await server.chat.post(question)).text()
    expect(events).not.toContain('tool-approval-request')
    expect(events).toContain('The server’s clock tells no time, so it stopped here.')
  })

  test('gives the result of a call that ran meanwhile', async () => {
    const server = await startAsking([ask, 'Sent.'], kept(), () => {
      server.clock.now = NaN
      return 'a receipt'
    })
    const paused = await asked(server)
    const answer = await answered(paused, await server.chat.post(decided(paused, true)))
    expect(callsOf(answer)).toMatchObject([{ state: 'output-available', output: 'a receipt' }])
  })
})

describe('a ledger whose clock tells no time', () => {
  const key = { owner: '', conversationId: 'one', approvalId: 'a', fingerprint: 'f' }
  const runner = { holder: 'x', leaseMs: 1_000 }

  test('lets nothing be claimed', async () => {
    let time = NaN
    const now = () => time
    const ledger = sqliteLedger(database(), { now })
    await expect(ledger.decide(key, true, 1)).rejects.toMatchObject({ code: 'wrong_clock' })
    await expect(ledger.claim(key, runner, 1)).rejects.toMatchObject({ code: 'wrong_clock' })
    time = 1_000
    expect(await ledger.claim(key, runner, 1)).toEqual({ status: 'claimed' })
  })

  test('is not made in memory', () => {
    const now = () => NaN
    const make = [() => memoryLedger({ now }), () => createChatHandler({ model: 'm', now })]
    for (const one of make) {
      expect(one).toThrow(expect.objectContaining({ code: 'wrong_clock' }))
    }
  })
})
