import type { UIMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { callOf, guardedTools, saved, waitingIds } from '../../../test/guarded-tools.ts'
import { callsAndResults, promptOf } from '../../../test/model-prompt.ts'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { toolCallStatus } from '../../message/tool-part.ts'
import type { MessageEngine, WhenBusy } from '../../message-engine.ts'
import { answer, callTools, untilState } from '../../testing/index.ts'

/** Whether every call that the next request carries has exactly one result, in call order. */
async function expectValidHistory(messages: readonly UIMessage[] = []): Promise<void> {
  const { prompt, errors } = await promptOf(messages)
  expect(errors).toEqual([])
  const { calls, results } = callsAndResults(prompt!)
  expect(results).toEqual(calls)
}

/** Three calls: one waits, one is decided, one was free to run. */
async function halfDecided() {
  const { runs, options } = guardedTools()
  const made = createToolEngine(
    [callTools([callOf('1'), callOf('2'), callOf('3', 'read')])],
    options,
  )
  await made.engine.sendMessage('go')
  await made.resume({ toolCallId: '1' })
  return { ...made, runs, options }
}

describe('a call without a result', () => {
  it('never reaches a model, however often turns are aborted and retried on top of it', async () => {
    const { engine, transport, runs } = await halfDecided()
    for (const ids of [
      ['4', '5'],
      ['6', '7'],
    ]) {
      await engine.abort()
      transport.add(callTools(ids.map((id) => callOf(id))))
      expect(await engine.retry()).toMatchObject({ requestState: 'paused' })
    }
    await engine.abort()
    transport.add(answer('hi'))
    await engine.sendMessage('hello')
    for (const { messages } of transport.requests) await expectValidHistory(messages)
    expect(transport.requests).toHaveLength(4)
    expect(runs).toEqual([])
  })

  it.each([
    ['an abort', (engine: MessageEngine) => engine.abort()],
    ['a reload', (_engine: MessageEngine, reload: () => MessageEngine) => reload().abort()],
  ])('does not end the conversation for ever: it goes on after %s', async (_name, interrupt) => {
    const first = await halfDecided()
    let current = first
    await interrupt(first.engine, () => {
      const { messages } = saved(first.engine.getState())
      const second = createToolEngine([], first.options, { messages })
      current = { ...first, ...second }
      return second.engine
    })
    const { engine, transport } = current
    transport.add(answer('hi'))
    expect(await engine.sendMessage('hello')).toMatchObject({ requestState: 'completed' })
    await expectValidHistory(transport.requests.at(-1)?.messages)
  })

  it('is not approved where nobody knows its tool, and waits on for those who do', async () => {
    const { engine: first, runs, options } = await halfDecided()
    const { messages } = saved(first.getState())
    const stranger = createToolEngine([], { tools: {} }, { messages })
    await stranger.engine.ready
    const decide = (outcome: 'yes' | 'yes_always') =>
      stranger.engine.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '2', outcome })
    for (const outcome of ['yes', 'yes_always'] as const) {
      expect(await decide(outcome)).toMatchObject({
        success: false,
        error: { code: 'unknown_tool', message: expect.stringContaining('not known here') },
      })
    }
    expect(waitingIds(stranger.engine)).toContain('2')
    const { messages: after } = saved(stranger.engine.getState())
    const { engine, resume, transport } = createToolEngine([], options, { messages: after })
    transport.add(answer('done'))
    await resume({ toolCallId: '2' })
    await untilState(engine, ({ requestState }) => requestState === 'completed')
    expect(runs).toEqual(['write 2.txt'])
  })

  it('does not end it either when its stream is cut in the middle of it', async () => {
    const { options, runs } = guardedTools()
    const { engine, transport } = createToolEngine([], options)
    const response = transport.hold()
    void engine.sendMessage('go')
    await response.push(...callTools([callOf('1'), callOf('2', 'read')]).slice(0, -4))
    response.fail(new TypeError('network error'))
    await untilState(engine, ({ requestState }) => requestState === 'error')
    transport.add(answer('hi'))
    expect(await engine.sendMessage('hello')).toMatchObject({ requestState: 'completed' })
    await expectValidHistory(transport.requests.at(-1)?.messages)
    expect(runs).toEqual([])
  })
})

describe('a repair', () => {
  it('invents no failure for a call that had finished, wherever its siblings stand', async () => {
    const part = <REST extends object>(toolCallId: string, rest: REST) => ({
      type: 'tool-write' as const,
      toolCallId,
      input: { path: `${toolCallId}.txt` },
      ...rest,
    })
    const finished = part('2', { state: 'output-available' as const, output: 'written' })
    const denied = part('4', {
      state: 'output-denied' as const,
      approval: { id: 'assent-4', approved: false as const, reason: 'mine' },
    })
    const failed = part('5', { state: 'output-error' as const, errorText: 'disk full' })
    const messages: UIMessage[] = [
      { id: 'u', role: 'user', parts: [{ type: 'text', text: 'go' }] },
      {
        id: 'a',
        role: 'assistant',
        parts: [
          { type: 'step-start' },
          part('1', { state: 'input-available' as const }),
          finished,
          part('3', { state: 'input-streaming' as const }),
          denied,
          failed,
        ],
      },
    ]
    const { engine, calls, transport } = createToolEngine([answer('hi')], guardedTools().options, {
      messages,
    })
    expect(calls().slice(1, 2)).toEqual([finished])
    expect(calls().slice(3)).toEqual([denied, failed])
    expect([calls()[0]!, calls()[2]!].map(toolCallStatus)).toEqual(['interrupted', 'interrupted'])
    await engine.sendMessage('hello')
    await expectValidHistory(transport.requests[0]?.messages)
  })
})

describe('a call and a message of the same id', () => {
  it('are not mixed up: a decision names the call, and the message only beside it', async () => {
    const { runs, options } = guardedTools()
    const { engine, resume, completed, calls } = createToolEngine(
      [callTools([callOf('answer'), callOf('1')], { messageId: '1' }), answer('ok')],
      options,
    )
    await engine.sendMessage('go')
    expect(engine.getState().messages[1]?.id).toBe('1')
    expect(await resume({ toolCallId: 'answer', messageId: 'answer' })).toMatchObject({
      error: { code: 'unknown_tool_call' },
    })
    expect(waitingIds(engine)).toEqual(['answer', '1'])
    await resume({ toolCallId: '1', messageId: '1', outcome: 'no' })
    await resume({ toolCallId: 'answer', messageId: '1' })
    await completed()
    expect(runs).toEqual(['write answer.txt'])
    expect(calls().map(({ state }) => state)).toEqual(['output-available', 'output-denied'])
  })
})

describe('what a person types while calls wait', () => {
  async function typeWhileWaiting(whenBusy: WhenBusy) {
    const made = createToolEngine(
      [callTools([callOf('1'), callOf('2')]), answer('ok'), answer('next')],
      guardedTools().options,
      { whenBusy },
    )
    await made.engine.sendMessage('go')
    const typed = made.engine.sendMessage('Wait!')
    const states = () => made.calls().map(({ state }) => state)
    const decide = async () => {
      await made.resume({ toolCallId: '1' })
      await made.resume({ toolCallId: '2', outcome: 'no' })
    }
    return { ...made, typed, states, decide }
  }

  it('waits for its own turn when it is to be queued', async () => {
    const { engine, typed, states, decide, transport } = await typeWhileWaiting('queue')
    expect(engine.getState()).toMatchObject({ requestState: 'paused', queue: [{ held: false }] })
    expect(states()).toEqual(['approval-requested', 'approval-requested'])
    await decide()
    expect(await typed).toMatchObject({ requestState: 'completed' })
    expect(transport.requests).toHaveLength(3)
    for (const { messages } of transport.requests) await expectValidHistory(messages)
  })

  it('changes nothing when it is to be rejected', async () => {
    const { engine, typed, states, decide, completed, transport } = await typeWhileWaiting('reject')
    expect(await typed).toMatchObject({ error: { code: 'busy', retryable: true } })
    expect(engine.getState()).toMatchObject({ requestState: 'paused', queue: [] })
    expect(states()).toEqual(['approval-requested', 'approval-requested'])
    await decide()
    await completed()
    expect(transport.requests).toHaveLength(2)
    for (const { messages } of transport.requests) await expectValidHistory(messages)
  })

  it('denies all that waits when it is to be the reason', async () => {
    const { engine, typed, states, transport } = await typeWhileWaiting('deny')
    expect(await typed).toMatchObject({ requestState: 'completed' })
    expect(engine.getState().queue).toEqual([])
    expect(states()).toEqual(['output-denied', 'output-denied'])
    expect(transport.requests).toHaveLength(2)
    for (const { messages } of transport.requests) await expectValidHistory(messages)
  })
})
