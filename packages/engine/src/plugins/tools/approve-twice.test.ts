import { describe, expect, it } from 'vitest'
import { callOf, decisionsIn, guardedTools, pausedIn, saved } from '../../../test/guarded-tools.ts'
import { createToolEngine } from '../../../test/tool-engine.ts'
import {
  answer,
  callTools,
  responseChunks,
  stepChunks,
  toolCallChunks,
  untilState,
} from '../../testing/index.ts'

describe('what is approved twice', () => {
  it.each([
    ['twice alike', 'yes', 'yes'],
    ['both ways', 'yes', 'no'],
  ] as const)(
    'is refused as a whole when one list names a call %s: nothing runs',
    async (_name, one, other) => {
      const { runs, options } = guardedTools()
      const { engine, calls } = createToolEngine([callTools(callOf('1'))], options)
      await engine.sendMessage('go')
      const result = await engine.runPluginCommand('tool', 'resumeToolCalls', [
        { toolCallId: '1', outcome: one },
        { toolCallId: '1', outcome: other },
      ])
      expect(result).toMatchObject({ success: false, error: { code: 'batch_refused' } })
      expect(calls()).toMatchObject([{ state: 'approval-requested' }])
      expect(engine.getState()).toMatchObject({ requestState: 'paused', confirmations: [] })
      expect(runs).toEqual([])
    },
  )

  it('runs once, and every further click gets the answer of the first', async () => {
    const { runs, options } = guardedTools()
    const { engine, resume, completed } = createToolEngine(
      [callTools(callOf('1')), answer('ok')],
      options,
    )
    await engine.sendMessage('go')
    const clicks = await Promise.all([1, 2, 3].map(() => resume({ toolCallId: '1' })))
    expect(clicks).toEqual(Array.from({ length: 3 }, () => clicks[0]))
    expect(clicks[0]).toMatchObject({ success: true, result: { settled: [] } })
    await completed()
    expect(runs).toEqual(['write 1.txt'])
    expect(decisionsIn(engine.getState().confirmations)).toEqual(['1: yes'])
  })

  it.each([
    ['yes', 'no', 'not_awaiting_approval'],
    // A no leaves nothing to run, so the model is asked in the same tick.
    ['no', 'yes', 'busy'],
  ] as const)(
    'takes the first of two clicks, and tells the other: %s, then %s',
    async (first, second, code) => {
      const { runs, options } = guardedTools()
      const { engine, resume, completed } = createToolEngine(
        [callTools(callOf('1')), answer('ok')],
        options,
      )
      await engine.sendMessage('go')
      const clicks = await Promise.all(
        [first, second].map((outcome) => resume({ toolCallId: '1', outcome })),
      )
      expect(clicks).toMatchObject([{ success: true }, { success: false, error: { code } }])
      await completed()
      expect(await resume({ toolCallId: '1', outcome: second })).toMatchObject({
        success: false,
        error: {
          code: 'not_awaiting_approval',
          message: 'Tool call is not awaiting approval: 1',
          details: { toolCallId: '1', isSettled: true },
        },
      })
      expect(runs).toEqual(first === 'yes' ? ['write 1.txt'] : [])
      expect(decisionsIn(engine.getState().confirmations)).toEqual([`1: ${first}`])
    },
  )
})

describe('an id that comes again', () => {
  it('in one step is refused before any call of the step has run, also a free one', async () => {
    const { runs, options } = guardedTools()
    const { engine, resume, calls } = createToolEngine(
      [
        responseChunks(
          { finishReason: 'tool-calls' },
          stepChunks(
            toolCallChunks(callOf('0', 'read')),
            toolCallChunks(callOf('1', 'write', 'seen.txt')),
            toolCallChunks(callOf('1', 'write', 'hidden.txt')),
          ),
        ),
      ],
      { ...options, gate: 'call' },
    )
    expect(await engine.sendMessage('go')).toMatchObject({
      requestState: 'error',
      error: { code: 'stream_invalid' },
    })
    expect(await resume({ toolCallId: '1' })).toMatchObject({ success: false })
    expect(runs).toEqual([])
    expect(JSON.stringify(calls())).not.toContain('hidden.txt')
  })

  it('in a later step with another input is asked about anew: the yes was for the first', async () => {
    const { runs, options } = guardedTools()
    const { engine, resume, completed, calls } = createToolEngine(
      [
        callTools(callOf('1', 'write', 'seen.txt')),
        callTools(callOf('1', 'write', 'hidden.txt')),
        answer('ok'),
      ],
      options,
    )
    await engine.sendMessage('go')
    await resume({ toolCallId: '1' })
    await pausedIn(engine, 2)
    expect(runs).toEqual(['write seen.txt'])
    expect(calls()[1]).toMatchObject({ state: 'approval-requested' })
    await resume({ toolCallId: '1', step: 2, outcome: 'no' })
    await completed()
    expect(runs).toEqual(['write seen.txt'])
  })
})

describe('a yes', () => {
  it('is used up by the run that it allowed: neither a click nor a reload runs it again', async () => {
    const { runs, options } = guardedTools()
    const first = createToolEngine([callTools(callOf('1')), answer('ok'), answer('next')], options)
    await first.engine.sendMessage('go')
    await first.resume({ toolCallId: '1' })
    await first.completed()
    await first.resume({ toolCallId: '1' })
    await first.engine.sendMessage('next')
    expect(first.transport.requests).toHaveLength(3)
    expect(runs).toEqual(['write 1.txt'])

    const { messages, confirmations } = saved(first.engine.getState())
    const second = createToolEngine([answer('hi')], options, {
      messages,
      confirmations,
      id: first.engine.id,
    })
    expect(second.engine.getState().requestState).toBe('idle')
    await second.resume({ toolCallId: '1' })
    await second.engine.sendMessage('hello')
    expect(runs).toEqual(['write 1.txt'])
  })

  it('is asked of the rules once more when its call is about to run', async () => {
    let isForbidden = false
    const { runs, options } = guardedTools({
      toolApproval: {
        write: () =>
          isForbidden ? { type: 'denied', reason: 'The file is locked now.' } : 'user-approval',
      },
    })
    const { engine, resume, completed, sentCalls } = createToolEngine(
      [callTools(callOf('1')), answer('ok')],
      options,
    )
    await engine.sendMessage('go')
    isForbidden = true
    await resume({ toolCallId: '1' })
    await completed()
    expect(runs).toEqual([])
    expect(sentCalls(2)).toMatchObject([
      { state: 'output-denied', approval: { reason: 'The file is locked now.' } },
    ])
  })
})

describe('a no', () => {
  it.each(['step', 'call'] as const)(
    "settles: a yes that comes late runs nothing, with gate '%s'",
    async (gate) => {
      const { runs, options } = guardedTools()
      const { engine, resume, completed, calls } = createToolEngine(
        [callTools([callOf('1'), callOf('2')]), answer('ok'), answer('next')],
        { ...options, gate },
      )
      const refused = { success: false, error: { code: 'not_awaiting_approval' } }
      await engine.sendMessage('go')
      await resume({ toolCallId: '1', outcome: 'no' })
      expect(await resume({ toolCallId: '1' })).toMatchObject(refused)
      await resume({ toolCallId: '2' })
      await completed()
      expect(await resume({ toolCallId: '1' })).toMatchObject(refused)
      expect(
        await resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } }),
      ).toMatchObject(refused)
      await engine.sendMessage('next')
      expect(runs).toEqual(['write 2.txt'])
      expect(calls()[0]).toMatchObject({ state: 'output-denied' })
    },
  )

  it('is for one call: not for another one that a step made again under the same id', async () => {
    const { runs, options } = guardedTools()
    const { engine, calls, resume } = createToolEngine(
      [
        callTools(callOf('0', 'read')),
        callTools(callOf('1')),
        callTools(callOf('1', 'write', '2.txt')),
      ],
      options,
    )
    await engine.sendMessage('go')
    await Promise.all([resume({ toolCallId: '1' }), engine.abort()])
    expect(await resume({ toolCallId: '1' })).toMatchObject({ success: true })

    expect(await engine.retry()).toMatchObject({ requestState: 'paused' })
    await engine.abort()
    expect(calls()[1]).toMatchObject({ input: { path: '2.txt' }, state: 'output-error' })
    expect(await resume({ toolCallId: '1' })).toMatchObject({
      error: { code: 'not_awaiting_approval' },
    })
    expect(runs).toEqual(['read 0.txt'])
  })

  it('holds after a reload in the middle of the step, where a yes comes late again', async () => {
    const { runs, options } = guardedTools()
    const first = createToolEngine([callTools([callOf('1'), callOf('2')])], options)
    await first.engine.sendMessage('go')
    await first.resume({ toolCallId: '1', outcome: 'no', reason: 'mine' })
    const { messages, confirmations } = saved(first.engine.getState())

    const second = createToolEngine([answer('ok')], options, {
      messages,
      confirmations,
      id: first.engine.id,
    })
    expect(await second.resume({ toolCallId: '1' })).toMatchObject({
      error: { code: 'not_awaiting_approval' },
    })
    await second.resume({ toolCallId: '2' })
    await untilState(second.engine, ({ requestState }) => requestState === 'completed')
    expect(runs).toEqual(['write 2.txt'])
    expect(second.sentCalls(1)).toMatchObject([
      { state: 'output-denied', approval: { reason: 'mine' } },
      { state: 'output-available' },
    ])
  })
})
