import { describe, expect, it } from 'vitest'
import { callOf, guardedTools, pausedIn, saved, waitingIds } from '../../../test/guarded-tools.ts'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { toolCallStatus } from '../../message/tool-part.ts'
import {
  answer,
  approvalRequestChunks,
  callTools,
  responseChunks,
  stepChunks,
  toolCallChunks,
} from '../../testing/index.ts'

const guarded = (toolCallId: string) => [
  ...toolCallChunks(callOf(toolCallId, 'deploy')),
  ...approvalRequestChunks({
    toolCallId,
    approvalDescriptor: { diff: ['-a', '+b'] },
    inputSchemaInput: { path: null },
    signature: `signed ${toolCallId}`,
    reason: 'It goes live.',
  }),
]
const asking = (...ids: string[]) =>
  responseChunks({ finishReason: 'tool-calls' }, stepChunks(...ids.map(guarded)))

describe('a request for approval', () => {
  it('is in the message whenever the pause is told of, with the id that it keeps', async () => {
    const { options } = guardedTools()
    const { engine, resume, completed, calls } = createToolEngine(
      [callTools([callOf('1'), callOf('2')]), answer('ok')],
      options,
    )
    const told: unknown[] = []
    const ids = new Map<string, Set<string | undefined>>()
    engine.subscribe(() => {
      const { requestState } = engine.getState()
      if (requestState === 'paused') told.push(saved(calls()).map(({ state }) => state))
      for (const { toolCallId, approval } of calls()) {
        if (approval) ids.set(toolCallId, (ids.get(toolCallId) ?? new Set()).add(approval.id))
      }
    })
    await engine.sendMessage('go')
    await resume({ toolCallId: '2' })
    await resume({ toolCallId: '1', outcome: 'no' })
    await completed()
    expect(told[0]).toEqual(['approval-requested', 'approval-requested'])
    expect([...ids.values()].map(({ size }) => size)).toEqual([1, 1])
    expect(calls().map(({ approval }) => approval?.id)).toEqual(
      ['1', '2'].map((id) => [...(ids.get(id) ?? [])][0]),
    )
  })

  it.each(['yes', 'yes_always', 'no'] as const)(
    'keeps all that it said when it is answered: %s',
    async (outcome) => {
      const { engine, resume, completed, calls, sentCalls } = createToolEngine([
        asking('1', '2'),
        answer('ok'),
      ])
      await engine.sendMessage('go')
      const requests = calls().map(({ approval }) => approval)
      expect(requests[0]).toMatchObject({ signature: 'signed 1', requestReason: 'It goes live.' })
      await resume({ toolCallId: '1', outcome, reason: 'because' })
      // The second one is answered by the policy, if there is one now.
      await resume({ toolCallId: '2' })
      await completed()
      const [first, second] = sentCalls(2).map(({ approval }) => approval)
      expect(first).toEqual({ ...requests[0], approved: outcome !== 'no', reason: 'because' })
      expect(second).toMatchObject({ ...requests[1], approved: true })
    },
  )
})

describe('a call that waits', () => {
  it('is told by its part alone: plain messages are enough to wait, and to go on', async () => {
    const { runs, options } = guardedTools()
    const first = createToolEngine([callTools([callOf('0', 'read'), callOf('1')])], options)
    await first.engine.sendMessage('go')
    const { messages } = saved(first.engine.getState())
    expect(first.calls().map(toolCallStatus)).toEqual(['scheduled', 'awaiting-approval'])

    const second = createToolEngine([answer('ok')], options, { messages })
    expect(second.engine.getState()).toMatchObject({
      requestState: 'paused',
      turn: { pauseReason: { type: 'approval' } },
    })
    expect(waitingIds(second.engine)).toEqual(['1'])
    await second.resume({ toolCallId: '1' })
    await second.completed()
    expect(runs).toEqual(['write 1.txt'])
    expect(second.calls()[1]).toMatchObject({ state: 'output-available' })
  })
})

describe('a call that was answered', () => {
  it.each(['yes', 'no'] as const)(
    'does not wait again after a reload, and a click says that it is answered: %s',
    async (outcome) => {
      const { runs, options } = guardedTools()
      const first = createToolEngine([callTools([callOf('1'), callOf('2')])], options)
      await first.engine.sendMessage('go')
      await first.resume({ toolCallId: '1', outcome })
      const { messages, confirmations } = saved(first.engine.getState())

      const { engine, resume, calls, completed } = createToolEngine([answer('ok')], options, {
        messages,
        confirmations,
        id: first.engine.id,
      })
      expect(waitingIds(engine)).toEqual(['2'])
      const before = calls()[0]
      const other = outcome === 'yes' ? 'no' : 'yes'
      expect(await resume({ toolCallId: '1', outcome: other })).toMatchObject({
        success: false,
        error: { code: 'not_awaiting_approval', details: { toolCallId: '1', isSettled: true } },
      })
      expect(await resume({ toolCallId: '1', outcome })).toMatchObject({ success: true })
      expect(calls()[0]).toBe(before)
      await resume({ toolCallId: '2' })
      await completed()
      // From messages alone nobody can tell whether a call that was to run did.
      expect(runs).toEqual(['write 2.txt'])
      expect(toolCallStatus(calls()[0]!)).toBe(outcome === 'yes' ? 'interrupted' : 'denied')
    },
  )
})

describe('a call that is like an earlier one to the letter', () => {
  const alike = (toolCallId: string) => callOf(toolCallId, 'write', 'same.txt')

  it('is decided by itself: an old no does not stand in its way, nor an old yes let it in', async () => {
    const { runs, options } = guardedTools()
    const { engine, resume, completed, calls } = createToolEngine(
      [
        callTools([alike('1'), alike('2')]),
        callTools(alike('1')),
        answer('ok'),
        callTools(alike('4')),
        answer('ok'),
      ],
      options,
    )
    await engine.sendMessage('go')
    await resume({ toolCallId: '1', outcome: 'no' })
    expect(calls()[1]).toMatchObject({ state: 'approval-requested' })
    await resume({ toolCallId: '2' })
    await pausedIn(engine, 2)
    expect(await resume({ toolCallId: '1', step: 2 })).toMatchObject({ result: { step: 2 } })
    await completed()
    expect(runs).toEqual(['write same.txt', 'write same.txt'])

    expect(await engine.sendMessage('again')).toMatchObject({ requestState: 'paused' })
    expect(calls()[3]).toMatchObject({ state: 'approval-requested' })
    await resume({ toolCallId: '4', outcome: 'no' })
    await completed()
    expect(runs).toHaveLength(2)
    const states = calls().map(({ state }) => state)
    expect(states).toEqual([
      'output-denied',
      'output-available',
      'output-available',
      'output-denied',
    ])
    const fingerprints = engine.getState().confirmations.map(({ fingerprint }) => fingerprint)
    expect(new Set(fingerprints).size).toBe(1)
  })
})
