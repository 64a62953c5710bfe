import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  callOf,
  decisionsIn,
  guardedTools,
  pausedIn,
  waitingIds,
} from '../../../test/guarded-tools.ts'
import { createToolEngine } from '../../../test/tool-engine.ts'
import {
  answer,
  approvalRequestChunks,
  callTools,
  responseChunks,
  stepChunks,
  textChunks,
  toolCallChunks,
  toolOutputChunks,
  untilState,
} from '../../testing/index.ts'
import { defineStorage } from '../../storage/define-storage.ts'
import { memoryStorage } from '../../storage/memory-storage.ts'
import type { StorageChanges } from '../../storage/storage.ts'
import { deriveApprovalPolicies } from './policies.ts'
import type { ToolPluginOptions } from './options.ts'

type Made = ReturnType<typeof createToolEngine>

function policyIdOf({ engine }: Made): string {
  const always = engine.getState().confirmations.find((one) => 'scope' in one)
  return always?.id ?? ''
}

const revoke = (made: Made, policyId = policyIdOf(made)) =>
  made.engine.runPluginCommand('tool', 'revokePolicy', { policyId })

const statusOf = ({ engine }: Made) =>
  deriveApprovalPolicies(engine.getState().confirmations, { now: Date.now() }).map(
    ({ status }) => status,
  )

describe('an always that is taken back', () => {
  it('is one more record, and the calls that it let wait for their gate are asked about again', async () => {
    const { runs, options } = guardedTools()
    const made = createToolEngine(
      [callTools(callOf('1')), callTools([callOf('2'), callOf('3', 'remove')]), answer('ok')],
      options,
    )
    const { engine, resume, completed, calls } = made
    await engine.sendMessage('go')
    await resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } })
    await pausedIn(engine, 2)
    expect(waitingIds(engine)).toEqual(['3'])
    const policyId = policyIdOf(made)
    const before = engine.getState().confirmations
    expect(await revoke(made)).toMatchObject({
      success: true,
      result: { policyId, asked: [{ step: 2, toolCallId: '2' }] },
    })
    expect(engine.getState().confirmations.slice(0, -1)).toEqual(before)
    expect(engine.getState().confirmations.at(-1)).toMatchObject({
      outcome: 'no',
      revokes: policyId,
      toolCallId: '1',
      fingerprint: before[0]?.fingerprint,
    })
    expect(waitingIds(engine)).toEqual(['2', '3'])
    expect(calls()[1]?.approval).not.toHaveProperty('isAutomatic')
    expect(calls()[1]?.approval).not.toHaveProperty('reason')
    expect(calls()[1]?.toolMetadata?.['assent'] ?? {}).not.toHaveProperty('decidedBy')
    await resume({ toolCallId: '3' })
    await resume({ toolCallId: '2', outcome: 'no' })
    await completed()
    expect(runs).toEqual(['write 1.txt', 'remove 3.txt'])
    expect(statusOf(made)).toEqual(['revoked'])
  })

  it('stops the calls that it let wait for a place, and not the one that runs', async () => {
    const running = Promise.withResolvers<string>()
    const started = Promise.withResolvers<void>()
    const runs: string[] = []
    const tools: ToolPluginOptions = {
      concurrency: 1,
      tools: {
        write: {
          inputSchema: z.object({ path: z.string() }),
          execute: ({ path }: { path: string }) => {
            runs.push(path)
            if (path !== '2.txt') return 'written'
            started.resolve()
            return running.promise
          },
        },
      },
      toolApproval: { write: 'user-approval' },
    }
    const made = createToolEngine(
      [callTools(callOf('1')), callTools([callOf('2'), callOf('3'), callOf('4')]), answer('ok')],
      tools,
    )
    const { engine, resume, completed } = made
    await engine.sendMessage('go')
    await resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } })
    await started.promise
    expect(await revoke(made)).toMatchObject({
      result: { asked: [{ toolCallId: '3' }, { toolCallId: '4' }] },
    })
    running.resolve('written')
    await pausedIn(engine, 2)
    expect(waitingIds(engine)).toEqual(['3', '4'])
    expect(runs).toEqual(['1.txt', '2.txt'])
    await resume({ toolCallId: '3', outcome: 'no' })
    await resume({ toolCallId: '4' })
    await completed()
    expect(runs).toEqual(['1.txt', '2.txt', '4.txt'])
  })

  it('takes back answers for a server that were not sent yet', async () => {
    const guarded = (toolCallId: string, toolName = 'deploy') => [
      ...toolCallChunks(callOf(toolCallId, toolName)),
      ...approvalRequestChunks({ toolCallId, signature: `signed ${toolCallId}` }),
    ]
    const asking = (...chunks: ReturnType<typeof guarded>[]) =>
      responseChunks({ messageId: 'a', finishReason: 'tool-calls' }, stepChunks(...chunks))
    const made = createToolEngine([
      asking(guarded('1')),
      [
        { type: 'start' },
        ...toolOutputChunks('1', 'deployed'),
        ...asking(guarded('2'), guarded('3', 'drop')).slice(1),
      ],
      [{ type: 'start' }, ...toolOutputChunks('3', 'dropped'), ...answer('ok').slice(1)],
    ])
    const { engine, resume, completed, calls, sentCalls } = made
    await engine.sendMessage('go')
    await resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } })
    await pausedIn(engine, 2)
    expect(calls()[1]).toMatchObject({ state: 'approval-responded' })
    expect(engine.getState().turn?.unsent).toMatchObject([{ toolCallId: '2' }])
    expect(await revoke(made)).toMatchObject({ result: { asked: [{ toolCallId: '2' }] } })
    expect(engine.getState().turn?.unsent).toEqual([])
    await resume({ toolCallId: '3' })
    expect(engine.getState().requestState).toBe('paused')
    await resume({ toolCallId: '2', outcome: 'no', reason: 'not any more' })
    await completed()
    expect(sentCalls(3).slice(1)).toMatchObject([
      { approval: { approved: false, reason: 'not any more', signature: 'signed 2' } },
      { approval: { approved: true } },
    ])
  })

  it('is taken back while the model streams, before it makes its next call', async () => {
    const { runs, options } = guardedTools()
    const made = createToolEngine([callTools(callOf('1'))], options)
    const { engine, resume, transport, completed } = made
    const held = transport.hold()
    await engine.sendMessage('go')
    await resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } })
    await held.push({ type: 'start' }, { type: 'start-step' }, ...textChunks('t', 'Next'))
    expect(engine.getState().processingState).toBe('completing')
    expect(await resume({ toolCallId: '1' })).toMatchObject({ error: { code: 'busy' } })
    expect(await revoke(made)).toMatchObject({ success: true, result: { asked: [] } })
    await held.push(...toolCallChunks(callOf('2')), { type: 'finish-step' }, { type: 'finish' })
    held.end()
    await pausedIn(engine, 2)
    expect(waitingIds(engine)).toEqual(['2'])
    transport.add(answer('ok'))
    await resume({ toolCallId: '2', outcome: 'no' })
    await completed()
    expect(runs).toEqual(['write 1.txt'])
  })

  it('is taken back after its turn is over, for the next one', async () => {
    const { runs, options } = guardedTools()
    const made = createToolEngine(
      [callTools(callOf('1')), answer('ok'), callTools(callOf('2'))],
      options,
    )
    await made.engine.sendMessage('go')
    await made.resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } })
    await made.completed()
    expect(await revoke(made)).toMatchObject({ success: true, result: { asked: [] } })
    expect(await made.engine.sendMessage('again')).toMatchObject({ requestState: 'paused' })
    expect(runs).toEqual(['write 1.txt'])
  })

  it('stays so: taking it back again changes nothing, and a new always is another policy', async () => {
    const { runs, options } = guardedTools()
    const made = createToolEngine(
      [callTools(callOf('1')), callTools(callOf('2')), callTools(callOf('3')), answer('ok')],
      options,
    )
    const { engine, resume, completed } = made
    await engine.sendMessage('go')
    await engine.runPluginCommand('tool', 'resumeToolCall', {
      toolCallId: '1',
      outcome: 'yes_always',
      scope: { covers: 'tool', uses: 1 },
    })
    await pausedIn(engine, 3)
    const policyId = policyIdOf(made)
    await revoke(made)
    const { confirmations } = engine.getState()
    expect(await revoke(made, policyId)).toEqual({ success: true, result: { policyId, asked: [] } })
    expect(engine.getState().confirmations).toBe(confirmations)
    await resume({ toolCallId: '3', outcome: 'yes_always', scope: { covers: 'tool' } })
    await completed()
    expect(runs).toEqual(['write 1.txt', 'write 2.txt', 'write 3.txt'])
    expect(statusOf(made)).toEqual(['revoked', 'standing'])
    expect(decisionsIn(engine.getState().confirmations)).toEqual([
      '1: yes_always',
      '1: no',
      '3: yes_always',
    ])
  })

  it.each(['nobody', '__proto__', 'constructor', ''])(
    'is named by its id: %j is none',
    async (policyId) => {
      const made = createToolEngine([callTools(callOf('1'))], guardedTools().options)
      await made.engine.sendMessage('go')
      const { confirmations } = made.engine.getState()
      expect(await revoke(made, policyId)).toMatchObject({ error: { code: 'unknown_policy' } })
      const malformed: unknown = { policyId: [policyId] }
      expect(
        await made.engine.runPluginCommand('tool', 'revokePolicy', malformed as never),
      ).toMatchObject({ error: { code: 'invalid_argument' } })
      expect(made.engine.getState().confirmations).toBe(confirmations)
    },
  )

  it('while its answer is being asked for makes the turn pause, and nothing is sent', async () => {
    const asking = (toolCallId: string) =>
      responseChunks(
        { messageId: 'a', finishReason: 'tool-calls' },
        stepChunks(
          toolCallChunks(callOf(toolCallId, 'deploy')),
          approvalRequestChunks({ toolCallId }),
        ),
      )
    const preparing = Promise.withResolvers<void>()
    const prepared = Promise.withResolvers<void>()
    const made = createToolEngine(
      [
        asking('1'),
        [{ type: 'start' }, ...toolOutputChunks('1', 'deployed'), ...asking('2').slice(1)],
        [{ type: 'start' }, ...toolOutputChunks('2', 'deployed'), ...answer('ok').slice(1)],
      ],
      {},
      {
        plugins: [
          {
            onBeforeRequest: ({ turn }) => {
              if (turn?.step !== 2) return undefined
              preparing.resolve()
              return prepared.promise
            },
          },
        ],
      },
    )
    const { engine, resume, completed, transport, sentCalls } = made
    await engine.sendMessage('go')
    await resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } })
    await preparing.promise
    expect(engine.getState().processingState).toBe('requesting')
    expect(await revoke(made)).toMatchObject({ result: { asked: [{ toolCallId: '2' }] } })
    prepared.resolve()
    await untilState(engine, ({ requestState }) => requestState === 'paused')
    expect(transport.requests).toHaveLength(2)
    expect(waitingIds(engine)).toEqual(['2'])
    await resume({ toolCallId: '2', reason: 'well then' })
    await completed()
    expect(sentCalls(3)[1]?.approval).toMatchObject({ approved: true, reason: 'well then' })
    expect(sentCalls(3)[1]?.approval).not.toHaveProperty('isAutomatic')
  })

  it('is not sent when that comes while it is stored what is to be sent', async () => {
    const disk = memoryStorage()
    let writing: (() => void) | undefined
    const slow = Object.assign(Object.create(disk) as typeof disk, {
      write: async (namespace: string, changes: StorageChanges) => {
        if (writing) await new Promise<void>((resolve) => (writing = resolve))
        return disk.write(namespace, changes)
      },
    })
    const ids = ['1', '2']
    const calls = ids.map((toolCallId) =>
      toolCallChunks({ toolCallId, toolName: 'deploy', input: {} }),
    )
    const asked = ids.map((toolCallId) => approvalRequestChunks({ toolCallId }))
    const made = createToolEngine(
      [responseChunks({}, stepChunks(...calls, ...asked)), answer('ok')],
      {},
      { id: 'chat', storage: defineStorage(slow) },
    )
    const { engine, resume, transport } = made
    await engine.sendMessage('go')
    writing = () => undefined
    void resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } })
    await untilState(engine, ({ turn }) => (turn?.underWay?.length ?? 0) > 0)
    void revoke(made)
    const release = writing
    writing = undefined
    release()
    await pausedIn(engine, 1)
    expect(waitingIds(engine)).toEqual(['2'])
    expect(transport.requests).toHaveLength(1)
    await resume({ toolCallId: '2', outcome: 'no' })
    await untilState(engine, ({ requestState }) => requestState === 'completed')
    expect(made.sentCalls(2)).toMatchObject([
      { approval: { approved: true } },
      { approval: { approved: false } },
    ])
  })
})
