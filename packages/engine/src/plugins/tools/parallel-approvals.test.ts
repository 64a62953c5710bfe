import { describe, expect, it } from 'vitest'
import { callOf, guardedTools, saved, waitingIds } from '../../../test/guarded-tools.ts'
import { callsAndResults, promptOf } from '../../../test/model-prompt.ts'
import { callsOf, createToolEngine } from '../../../test/tool-engine.ts'
import { isSettled, isWaiting, type ToolCallPart } from '../../message/tool-part.ts'
import {
  answer,
  approvalRequestChunks,
  callTools,
  responseChunks,
  stepChunks,
  toolCallChunks,
  toolOutputChunks,
  untilState,
} from '../../testing/index.ts'

const FIVE = ['1', '2', '3', '4', '5']

/** Five writes that wait, in one step. */
async function fiveWaiting(gate: 'step' | 'call' = 'step') {
  const { runs, options } = guardedTools()
  const made = createToolEngine([callTools(FIVE.map((id) => callOf(id))), answer('ok')], {
    ...options,
    gate,
  })
  await made.engine.sendMessage('go')
  return { ...made, runs }
}

describe('whether a call has its result', () => {
  const input = {}
  const approval = { id: 'a' }
  const settled = {
    'input-streaming': [false, {}],
    'input-available': [false, { input }],
    'approval-requested': [false, { input, approval }],
    'approval-responded': [false, { input, approval: { ...approval, approved: false } }],
    'output-available': [true, { input, output: 1 }],
    'output-error': [true, { input, errorText: 'no' }],
    'output-denied': [true, { input, approval: { ...approval, approved: false } }],
  } satisfies Record<ToolCallPart['state'], [boolean, object]>

  it.each(Object.entries(settled))(
    'is known of every state, a denial included: %s',
    (state, [isOver, fields]) => {
      // The table has what the type of each state asks for.
      const part = { type: 'tool-write', toolCallId: '1', state, ...fields } as ToolCallPart
      expect(isSettled(part)).toBe(isOver)
      expect(isSettled({ ...part, preliminary: true } as ToolCallPart)).toBe(
        isOver && state !== 'output-available',
      )
    },
  )
})

describe('several calls that wait at once', () => {
  it('all wait, and none is denied for not being the first', async () => {
    const { engine, calls, runs } = await fiveWaiting()
    expect(calls().map(({ state }) => state)).toEqual(FIVE.map(() => 'approval-requested'))
    expect(waitingIds(engine)).toEqual(FIVE)
    expect(runs).toEqual([])
  })

  it('are collected and say how many are left, then run together', async () => {
    const { engine, resume, completed, runs, transport } = await fiveWaiting()
    for (const [index, id] of ['3', '1', '5', '2'].entries()) {
      await resume({ toolCallId: id })
      expect(waitingIds(engine)).toHaveLength(4 - index)
      expect(waitingIds(engine)).not.toContain(id)
      expect(engine.getState().requestState).toBe('paused')
    }
    expect(runs).toEqual([])
    expect(transport.requests).toHaveLength(1)
    await resume({ toolCallId: '4' })
    await completed()
    expect(runs).toEqual(FIVE.map((id) => `write ${id}.txt`))
  })

  it.each(['', ' 1', '1 ', '01', '6', 'approval-1', 'undefined'])(
    'are named by their whole id only, not by %j',
    async (toolCallId) => {
      const { engine, resume, calls } = await fiveWaiting()
      expect(await resume({ toolCallId })).toMatchObject({
        success: false,
        error: { code: 'unknown_tool_call' },
      })
      const approvalId = calls()[0]?.approval?.id ?? ''
      expect(await resume({ toolCallId: approvalId })).toMatchObject({
        error: { code: 'unknown_tool_call' },
      })
      expect(waitingIds(engine)).toEqual(FIVE)
    },
  )

  it('are all to be seen, and each runs with its own input, in whatever order they are decided', async () => {
    const { resume, completed, calls, runs } = await fiveWaiting('call')
    for (const id of ['4', '2', '5']) await resume({ toolCallId: id })
    await resume({ toolCallId: '1', outcome: 'no', reason: 'only the one' })
    await resume({ toolCallId: '3' })
    await completed()
    expect(runs.toSorted()).toEqual(['2', '3', '4', '5'].map((id) => `write ${id}.txt`))
    expect(calls()[0]).toMatchObject({
      state: 'output-denied',
      approval: { reason: 'only the one' },
    })
    for (const part of calls().slice(1)) {
      expect(part).toMatchObject({ output: `write ${part.toolCallId}.txt: done` })
    }
  })

  it('are sent to the model when the last has its result, not one with its siblings blank', async () => {
    const { engine, resume, completed, sentCalls, transport } = await fiveWaiting('call')
    for (const id of ['1', '2', '3', '4']) {
      await resume({ toolCallId: id })
      await untilState(engine, ({ messages, requestState }) => {
        const parts = messages.flatMap(({ parts }) => parts)
        const part = parts.find((one) => 'toolCallId' in one && one.toolCallId === id)
        return requestState === 'paused' && part !== undefined && 'output' in part
      })
      expect(transport.requests).toHaveLength(1)
    }
    await resume({ toolCallId: '5' })
    await completed()
    expect(transport.requests).toHaveLength(2)
    expect(sentCalls(2).map(({ state }) => state)).toEqual(FIVE.map(() => 'output-available'))
  })

  it('stay on the screen while others are decided: each waits in every state until its own turn', async () => {
    const { engine, resume, completed, calls } = await fiveWaiting()
    const decided = new Set<string>()
    const lost: string[] = []
    engine.subscribe(() => {
      const shown = new Set(
        calls()
          .filter(isWaiting)
          .map(({ toolCallId }) => toolCallId),
      )
      lost.push(...FIVE.filter((id) => !decided.has(id) && !shown.has(id)))
    })
    for (const id of ['2', '5', '1', '4']) {
      decided.add(id)
      await resume({ toolCallId: id })
      engine.flush()
    }
    decided.add('3')
    await resume({ toolCallId: '3' })
    await completed()
    expect(lost).toEqual([])
  })

  it('settle together when an always covers those on the screen, and the result says which', async () => {
    const { engine, resume, completed, runs } = await fiveWaiting()
    const covers = { '/path': { oneOf: ['2.txt', '4.txt'] } }
    const result = await resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers } })
    expect(result).toMatchObject({
      success: true,
      result: { toolCallId: '1', settled: [{ toolCallId: '2' }, { toolCallId: '4' }] },
    })
    expect(waitingIds(engine)).toEqual(['3', '5'])
    await resume({ toolCallId: '3', outcome: 'yes_always', scope: { covers: 'tool' } })
    await completed()
    expect(runs).toHaveLength(5)
  })
})

describe('a decision', () => {
  it('goes to the call that it names, not to the one that asked last, and back to its own request', async () => {
    const guarded = (toolCallId: string, approvalId: string) => [
      ...toolCallChunks(callOf(toolCallId, 'deploy')),
      ...approvalRequestChunks({ toolCallId, approvalId }),
    ]
    const { engine, resume, completed, sentCalls } = createToolEngine([
      responseChunks(
        { messageId: 'a', finishReason: 'tool-calls' },
        // Ids of requests that are those of other calls.
        stepChunks(guarded('1', '3'), guarded('2', '1'), guarded('3', '2')),
      ),
      [{ type: 'start' }, ...toolOutputChunks('1', 'deployed'), ...answer('ok').slice(1)],
    ])
    await engine.sendMessage('go')
    await resume({ toolCallId: '2', outcome: 'no', reason: 'two' })
    await resume({ toolCallId: '1', reason: 'one' })
    await resume({ toolCallId: '3', outcome: 'no', reason: 'three' })
    await completed()
    expect(sentCalls(2).map(({ toolCallId, approval }) => [toolCallId, approval])).toEqual([
      ['1', { id: '3', approved: true, reason: 'one' }],
      ['2', { id: '1', approved: false, reason: 'two' }],
      ['3', { id: '2', approved: false, reason: 'three' }],
    ])
  })
})

describe('decisions both ways in one step', () => {
  it.each(['step', 'call'] as const)(
    "leave a history that every provider takes, with gate '%s'",
    async (gate) => {
      const { engine, resume, completed, runs } = await fiveWaiting(gate)
      await resume({ toolCallId: '2', outcome: 'no', reason: 'not this' })
      await resume({ toolCallId: '1' })
      await resume({ toolCallId: '4', outcome: 'no' })
      await resume({ toolCallId: '3' })
      await resume({ toolCallId: '5', outcome: 'no' })
      await completed()
      expect(runs.toSorted()).toEqual(['write 1.txt', 'write 3.txt'])
      const { messages } = saved(engine.getState())
      const next = {
        id: 'next',
        role: 'user' as const,
        parts: [{ type: 'text' as const, text: 'x' }],
      }
      const { prompt, errors } = await promptOf([...messages, next])
      expect(errors).toEqual([])
      const { calls, results } = callsAndResults(prompt!)
      expect(calls).toEqual(FIVE)
      expect(results).toEqual(FIVE)
      expect(JSON.stringify(prompt)).toContain('not this')
      expect(callsOf(messages).every(isSettled)).toBe(true)
    },
  )
})
