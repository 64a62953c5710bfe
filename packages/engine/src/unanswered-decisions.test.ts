import { describe, expect, it } from 'vitest'
import { connect, serve } from '../test/guarded-client.ts'
import type { Fault } from '../test/guarded-server.ts'
import { defineStorage } from './storage/define-storage.ts'
import { memoryStorage } from './storage/memory-storage.ts'
import { untilState } from './testing/index.ts'
import { httpTransport } from './transport/http-transport.ts'

const deploy = ['1', 'deploy', { to: 'eu' }] as const
const steps = [[deploy], 'Deployed.', 'Deployed.']
const api = (origin: string) => httpTransport({ api: origin })
const ended = { requestState: 'error', error: { code: 'decision_unanswered', retryable: true } }

/** A server without a ledger; the request with the decision is the second one. */
const servedWith = (fault: Fault) =>
  serve({ steps, faultOf: (count) => (count === 2 ? fault : undefined) })

describe('an approval whose request fails, on a server without a ledger', () => {
  it.each([
    ['refused', 0],
    ['lost-unread', 0],
    ['lost-after-run', 1],
    ['cut-inside', 1],
  ] as const)('stays answered and is sent again by hand only: %s', async (fault, ranBefore) => {
    const server = await servedWith(fault)
    const { engine, resume, completed, calls } = connect(server)
    await engine.sendMessage('go')
    await resume({ toolCallId: '1' })
    await untilState(engine, ({ requestState }) => requestState === 'error')
    expect(engine.getState()).toMatchObject(ended)
    expect(engine.getState().error?.message).toMatch(/may have run/)
    expect(calls()).toMatchObject([{ state: 'approval-responded', approval: { approved: true } }])
    expect(server.bodies).toHaveLength(2)
    expect(server.effects).toHaveLength(ranBefore)

    void engine.retry()
    await completed()
    expect(server.sentCalls(3)).toMatchObject([{ state: 'approval-responded' }])
    expect(server.effects).toHaveLength(ranBefore + 1)
    expect(calls()).toMatchObject([{ state: 'output-available', output: 'deploy eu: done' }])
    expect(engine.getState().turn?.underWay).toEqual([])
  })

  it('is said not to have been sent when the connection was refused, and runs by retry', async () => {
    const server = await serve({ steps })
    const { engine, resume, completed, calls } = connect(
      server,
      {},
      {
        transport: httpTransport({ api: server.origin, retry: { baseMs: 1 } }),
      },
    )
    await engine.sendMessage('go')
    await server.goDown()
    await resume({ toolCallId: '1' })
    await untilState(engine, ({ requestState }) => requestState === 'error')
    expect(engine.getState().error).toMatchObject({ code: 'http_network' })
    expect(engine.getState().turn).toMatchObject({ unsent: [{ toolCallId: '1' }], underWay: [] })
    expect(calls()).toMatchObject([{ state: 'approval-responded' }])
    await server.comeBack()
    void engine.retry()
    await completed()
    expect(server.effects).toEqual(['deploy eu'])
  })

  it.each(['before its request ends', 'after its request failed'] as const)(
    'stays answered when the page is reloaded %s, and runs by retry',
    async (when) => {
      const isBefore = when === 'before its request ends'
      const server = await serve({
        steps,
        faultOf: (count) => (count === 2 ? 'lost-unread' : undefined),
      })
      const disk = memoryStorage()
      const open = (storage = disk) =>
        connect(server, {}, { id: 'chat', storage: defineStorage(storage) })
      const first = open()
      await first.engine.sendMessage('go')
      const crashed = isBefore
        ? server.request(2).then(() => memoryStorage(disk.snapshot()))
        : untilState(first.engine, ({ requestState }) => requestState === 'error').then(() => disk)
      await first.resume({ toolCallId: '1' })
      const left = await crashed
      first.engine.dispose()
      await first.engine.ready

      const { engine, calls, completed } = open(left)
      await engine.ready
      expect(engine.getState()).toMatchObject(ended)
      expect(calls()).toMatchObject([{ state: 'approval-responded' }])
      expect(server.bodies).toHaveLength(2)
      void engine.retry()
      await completed()
      expect(server.effects).toEqual(['deploy eu'])
      expect(calls()).toMatchObject([{ state: 'output-available' }])
    },
  )

  it('has a result that says what is not known when the conversation goes on without it', async () => {
    const server = await servedWith('lost-unread')
    const { engine, resume, calls } = connect(server)
    await engine.sendMessage('go')
    await resume({ toolCallId: '1' })
    await untilState(engine, ({ requestState }) => requestState === 'error')
    expect(await engine.sendMessage('never mind')).toMatchObject({ requestState: 'completed' })
    expect(calls()).toMatchObject([
      {
        state: 'output-error',
        errorText: 'The conversation went on before its result came; whether it ran is not known.',
        toolMetadata: { assent: { mayHaveRun: true } },
      },
    ])
    expect(server.effects).toEqual([])
  })

  it('is not sent again by a transport that tries again, as the server may have read it', async () => {
    const server = await servedWith('refused')
    const { engine, resume } = connect(server, {}, { transport: api(server.origin) })
    await engine.sendMessage('go')
    await resume({ toolCallId: '1' })
    await untilState(engine, ({ requestState }) => requestState === 'error')
    expect(server.bodies).toHaveLength(2)
  })
})
