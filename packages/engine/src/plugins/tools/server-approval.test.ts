import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { connect, serve } from '../../../test/guarded-client.ts'
import { pausedIn, waitingIds } from '../../../test/guarded-tools.ts'
import { callsAndResults } from '../../../test/model-prompt.ts'
import { isWaiting } from '../../message/tool-part.ts'

const deploy = (id: string, to = 'eu') => [id, 'deploy', { to }] as const
const inputSchema = z.object({})

describe('a server that guards its own tool and signs what it asks', () => {
  it('runs it after a yes, once, and the model reads what it gave', async () => {
    const server = await serve({ steps: [[deploy('1')], 'Deployed.'] })
    const { engine, resume, completed, calls } = connect(server)
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'paused' })
    expect(server.effects).toEqual([])
    expect(await resume({ toolCallId: '1', reason: 'looks good' })).toMatchObject({ success: true })
    await completed()
    expect(server.effects).toEqual(['deploy eu'])
    expect(server.resultsIn(2)).toMatchObject([
      { type: 'tool-result', toolCallId: '1', output: { value: 'deploy eu: done' } },
    ])
    expect(calls()).toMatchObject([{ state: 'output-available', output: 'deploy eu: done' }])
    expect(engine.getState().messages.at(-1)?.parts.at(-1)).toMatchObject({ text: 'Deployed.' })
    expect(server.bodies).toHaveLength(2)
  })

  it('does not run it after a no: the model reads the reason, and the conversation goes on', async () => {
    const server = await serve({
      steps: [[deploy('1')], 'Then not.', [deploy('2', 'us')], 'Deployed.'],
    })
    const { engine, resume, completed, calls } = connect(server)
    await engine.sendMessage('go')
    await resume({ toolCallId: '1', outcome: 'no', reason: 'not on a Friday' })
    await completed()
    expect(server.effects).toEqual([])
    expect(server.resultsIn(2)).toMatchObject([
      {
        type: 'tool-result',
        toolCallId: '1',
        output: { type: 'execution-denied', reason: 'not on a Friday' },
      },
    ])
    expect(calls()).toMatchObject([
      { state: 'output-denied', approval: { approved: false, reason: 'not on a Friday' } },
    ])

    expect(await engine.sendMessage('to us then')).toMatchObject({ requestState: 'paused' })
    await resume({ toolCallId: '2' })
    await completed()
    expect(server.effects).toEqual(['deploy us'])
    expect(calls().map(({ state }) => state)).toEqual(['output-denied', 'output-available'])
    const { calls: asked, results } = callsAndResults(server.prompts.at(-1)!)
    expect(results.toSorted()).toEqual(asked.toSorted())
  })

  it('is answered nothing before all is decided and what runs here is done', async () => {
    const server = await serve({
      steps: [
        [
          ['1', 'read', {}],
          deploy('2'),
          ['3', 'write', {}],
          deploy('4', 'us'),
          ['5', 'remove', { to: 'old' }],
        ],
        'All done.',
      ],
    })
    const ran: string[] = []
    const writing = Promise.withResolvers<string>()
    const started = Promise.withResolvers<void>()
    const { engine, resume, completed, calls } = connect(server, {
      tools: {
        read: { inputSchema, execute: () => void ran.push('read') },
        write: {
          inputSchema,
          execute: () => {
            ran.push('write')
            started.resolve()
            return writing.promise
          },
        },
      },
      toolApproval: { write: 'user-approval' },
    })
    await engine.sendMessage('go')
    expect(waitingIds(engine)).toEqual(['2', '3', '4', '5'])
    await resume({ toolCallId: '4', outcome: 'no', reason: 'eu only' })
    await resume({ toolCallId: '2' })
    await resume({ toolCallId: '3' })
    expect(engine.getState().requestState).toBe('paused')
    expect(ran).toEqual([])
    await resume({ toolCallId: '5' })
    await started.promise
    expect(ran).toEqual(['read', 'write'])
    expect(server.bodies).toHaveLength(1)
    expect(server.effects).toEqual([])
    writing.resolve('written')
    await completed()
    expect(server.bodies).toHaveLength(2)
    expect(server.sentCalls(2).map(({ state }) => state)).toEqual([
      'output-available',
      'approval-responded',
      'output-available',
      'approval-responded',
      'approval-responded',
    ])
    expect(server.effects).toEqual(['deploy eu', 'remove old'])
    expect(calls().map(({ state }) => state)).toEqual([
      'output-available',
      'output-available',
      'output-available',
      'output-denied',
      'output-available',
    ])
    const { calls: asked, results } = callsAndResults(server.prompts[1]!)
    expect(asked).toEqual(['1', '2', '3', '4', '5'])
    expect(results.toSorted()).toEqual(asked)
  })

  it('asks again in the next step, which is decided by itself', async () => {
    const server = await serve({ steps: [[deploy('1')], [deploy('2', 'us')], 'Both.'] })
    const { engine, resume, completed, calls } = connect(server)
    await engine.sendMessage('go')
    await resume({ toolCallId: '1' })
    await pausedIn(engine, 2)
    expect(server.effects).toEqual(['deploy eu'])
    expect(calls().map(({ state }) => state)).toEqual(['output-available', 'approval-requested'])
    await resume({ toolCallId: '2' })
    await completed()
    expect(server.effects).toEqual(['deploy eu', 'deploy us'])
    expect(engine.getState().messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(server.bodies).toHaveLength(3)
  })

  it.each(['approved', 'denied'] as const)(
    'decides by itself, and nothing waits for a person: %s',
    async (type) => {
      const server = await serve({
        steps: [[deploy('1')], 'So be it.'],
        toolApproval: { deploy: { type, reason: 'the rules say so' } },
      })
      const { engine, resume, calls } = connect(server)
      const waiting = new Set<boolean>()
      engine.subscribe(() => {
        for (const call of calls()) waiting.add(isWaiting(call))
      })
      expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
      expect([...waiting]).toEqual([false])
      expect(server.effects).toEqual(type === 'approved' ? ['deploy eu'] : [])
      expect(calls()).toMatchObject([
        {
          state: type === 'approved' ? 'output-available' : 'output-denied',
          approval: { isAutomatic: true, approved: type === 'approved' },
        },
      ])
      const other = type === 'approved' ? 'no' : 'yes'
      expect(await resume({ toolCallId: '1', outcome: other })).toMatchObject({
        error: { code: 'not_awaiting_approval' },
      })
      expect(server.bodies).toHaveLength(1)
    },
  )

  it('is sent a yes that comes too late by the clock of the page: its own clock counts', async () => {
    let now = 1_000
    const server = await serve({
      steps: [[deploy('1')], 'Deployed.'],
      descriptor: { expiresAt: 2_000 },
    })
    const { engine, resume, completed } = connect(server, {}, { now: () => now })
    await engine.sendMessage('go')
    now = 2_000
    expect(await resume({ toolCallId: '1', outcome: 'yes' })).toMatchObject({ success: true })
    await completed()
    expect(server.effects).toEqual(['deploy eu'])
  })

  it('is not answered by a permission once its request seems to have expired', async () => {
    let now = 1_000
    const server = await serve({
      steps: [[deploy('1')], [deploy('2')], 'Deployed.'],
      descriptor: { expiresAt: 2_000 },
    })
    const { engine, resume } = connect(server, {}, { now: () => now })
    await engine.sendMessage('go')
    now = Number.NaN
    expect(
      await resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } }),
    ).toMatchObject({
      success: true,
    })
    await pausedIn(engine, 2)
    expect(server.effects).toEqual(['deploy eu'])
  })

  it('is never sent an edited input', async () => {
    const server = await serve({ steps: [[deploy('1')], 'Deployed.'] })
    const { engine, resume, completed } = connect(server, {
      // The same schema here does not make the call one that runs here.
      tools: { deploy: { inputSchema: z.object({ to: z.string() }) } },
    })
    await engine.sendMessage('go')
    expect(await resume({ toolCallId: '1', input: { to: 'us' } })).toMatchObject({
      success: false,
      error: { code: 'not_editable' },
    })
    expect(engine.getState()).toMatchObject({ requestState: 'paused', confirmations: [] })
    expect(await resume({ toolCallId: '1' })).toMatchObject({ success: true })
    await completed()
    expect(server.effects).toEqual(['deploy eu'])
  })
})
