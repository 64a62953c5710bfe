import type { ToolSet } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { assentMetadata, toolCallStatus } from '../../message/tool-part.ts'
import {
  answer,
  approvalRequestChunks,
  callTools,
  responseChunks,
  stepChunks,
  toolCallChunks,
  untilState,
} from '../../testing/index.ts'
import type { ToolPluginOptions } from './options.ts'

const inputSchema = z.object({})
const call = (toolCallId: string, toolName = 'work') => ({ toolCallId, toolName, input: {} })

function createEngine<TOOLS extends ToolSet>(
  script: Parameters<typeof createToolEngine>[0],
  options: ToolPluginOptions<TOOLS>,
) {
  const made = createToolEngine(script, options, {
    now: () => 1_000,
  })
  // Payloads that the types refuse, too.
  const submit = (payload: unknown) =>
    made.engine.runPluginCommand('tool', 'submitToolOutput', payload as never)
  return { ...made, submit }
}

/** A tool whose runs are counted, and which asks first. */
function guarded() {
  const started: string[] = []
  const execute = (_input: unknown, { toolCallId }: { toolCallId: string }) => {
    started.push(toolCallId)
    return 'ran'
  }
  const options = {
    tools: { work: { inputSchema, execute }, ask: { inputSchema } },
    toolApproval: { work: 'user-approval' as const },
  }
  return { started, options }
}

describe('an output that is submitted', () => {
  it('for a call that awaits approval stands in the place of its tool, which never runs', async () => {
    const { started, options } = guarded()
    const { engine, submit, sentCalls, completed } = createEngine(
      [callTools(call('1')), answer('ok')],
      options,
    )
    await engine.sendMessage('go')
    const messageId = engine.getState().messages.at(-1)?.id
    expect(await submit({ toolCallId: '1', output: { answer: 42 } })).toEqual({
      success: true,
      result: { messageId, step: 1, toolCallId: '1' },
    })
    await completed()
    const [part] = sentCalls(2)
    expect(part).toMatchObject({ state: 'output-available', output: { answer: 42 } })
    // Nobody approved anything.
    expect(part).not.toHaveProperty('approval')
    expect(part && assentMetadata(part)).toEqual({
      submitted: true,
      decidedBy: 'person',
      decidedAt: 1_000,
      endedAt: 1_000,
    })
    expect(started).toEqual([])
  })

  it('answers a call whose id is an empty text, like that of any other', async () => {
    const { options } = guarded()
    const { engine, submit, completed, calls } = createEngine(
      [callTools(call('', 'ask')), answer('ok')],
      options,
    )
    await engine.sendMessage('go')
    expect(await submit({ toolCallId: '', output: 'blue' })).toMatchObject({ success: true })
    await completed()
    expect(calls().map(toolCallStatus)).toEqual(['success'])
  })

  it('answers a tool that nobody executes; the turn goes on in the same turn', async () => {
    const { options } = guarded()
    const { engine, submit, sentCalls, completed, calls } = createEngine(
      [callTools(call('1', 'ask')), answer('ok')],
      options,
    )
    await engine.sendMessage('go')
    expect(calls().map(toolCallStatus)).toEqual(['awaiting-output'])
    const turnId = engine.getState().turn?.id
    expect(engine.getState().turn?.pauseReason?.type).toBe('output')
    await submit({ toolCallId: '1', output: 'blue' })
    await completed()
    expect(sentCalls(2)).toMatchObject([{ state: 'output-available', output: 'blue' }])
    expect(engine.getState().turn?.id).toBe(turnId)
    expect(calls().map(toolCallStatus)).toEqual(['success'])
  })

  it('can be an error', async () => {
    const { options } = guarded()
    const { engine, submit, sentCalls, completed, calls } = createEngine(
      [callTools(call('1', 'ask')), answer('ok')],
      options,
    )
    await engine.sendMessage('go')
    await submit({ toolCallId: '1', errorText: 'nobody knows' })
    await completed()
    expect(sentCalls(2)).toMatchObject([{ state: 'output-error', errorText: 'nobody knows' }])
    expect(calls().map(toolCallStatus)).toEqual(['error'])
  })

  it('for a scheduled call takes its place; its siblings wait on', async () => {
    const { started, options } = guarded()
    const { engine, submit, resume, calls, sentCalls, completed } = createEngine(
      [callTools([call('1'), call('2'), call('3', 'ask')]), answer('ok')],
      options,
    )
    await engine.sendMessage('go')
    await resume({ toolCallId: '1' })
    expect(calls().map(toolCallStatus)).toEqual([
      'scheduled',
      'awaiting-approval',
      'awaiting-output',
    ])
    const states = new Set<string>()
    engine.subscribe(() => states.add(engine.getState().requestState))
    await submit({ toolCallId: '1', output: 'mine' })
    await submit({ toolCallId: '3', output: 'yours' })
    engine.flush()
    expect(states).toEqual(new Set(['paused']))
    expect(engine.getState().turn?.pauseReason?.toolCalls).toMatchObject([{ toolCallId: '2' }])
    await resume({ toolCallId: '2' })
    await completed()
    expect(started).toEqual(['2'])
    expect(sentCalls(2)).toMatchObject([
      { output: 'mine', approval: { approved: true } },
      { output: 'ran' },
      { output: 'yours' },
    ])
  })

  it('that says the last word of two that wait for outputs does not end the pause of the other', async () => {
    const { options } = guarded()
    const { engine, submit, completed, transport } = createEngine(
      [callTools([call('1', 'ask'), call('2', 'ask')]), answer('ok')],
      options,
    )
    await engine.sendMessage('go')
    const states = new Set<string>()
    engine.subscribe(() => states.add(engine.getState().requestState))
    await submit({ toolCallId: '1', output: 'a' })
    engine.flush()
    expect(states).toEqual(new Set(['paused']))
    expect(transport.requests).toHaveLength(1)
    await submit({ toolCallId: '2', output: 'b' })
    await completed()
    expect(transport.requests).toHaveLength(2)
  })

  it('has no secret and keeps to the bounds, as that of a tool does', async () => {
    const { options } = guarded()
    const { engine, submit, sentCalls, completed } = createEngine(
      [callTools(call('1', 'ask')), answer('ok')],
      {
        ...options,
        redact: (text) => text.replaceAll('hunter2', '***'),
        maxOutputLines: 1,
      },
    )
    await engine.sendMessage('go')
    await submit({ toolCallId: '1', output: 'is hunter2\nmore' })
    await completed()
    const [part] = sentCalls(2)
    expect(part?.output).toMatch(/^is \*\*\*\n\[Output cut/)
    expect(part && assentMetadata(part).cut).toMatchObject({ totalLines: 2 })
  })

  it('that cannot be made safe is refused, and the call waits on', async () => {
    const { options } = guarded()
    const { engine, submit, calls } = createEngine([callTools(call('1', 'ask'))], {
      ...options,
      redact: () => {
        throw new Error('broken')
      },
    })
    await engine.sendMessage('go')
    expect(await submit({ toolCallId: '1', output: 'x' })).toMatchObject({
      error: { code: 'tool_output_invalid' },
    })
    expect(calls().map(toolCallStatus)).toEqual(['awaiting-output'])
  })

  it('once more changes nothing, another one is refused', async () => {
    const { options } = guarded()
    const { engine, submit, calls, completed, transport } = createEngine(
      [callTools([call('1', 'ask'), call('2', 'ask')]), answer('ok')],
      { ...options, maxOutputLines: 1 },
    )
    await engine.sendMessage('go')
    const long = { toolCallId: '1', output: 'a\nb' }
    const failed = { toolCallId: '2', errorText: 'c' }
    await submit(long)
    await submit(failed)
    await completed()
    const before = calls()
    expect(await submit(long)).toMatchObject({ success: true, result: { toolCallId: '1' } })
    expect(await submit(failed)).toMatchObject({ success: true })
    for (const other of [
      { ...long, output: 'a\nc' },
      { ...long, output: 'a' },
      { toolCallId: '1', errorText: 'a\nb' },
      { ...failed, errorText: 'd' },
      { toolCallId: '2', output: 'c' },
    ]) {
      expect(await submit(other)).toMatchObject({ error: { code: 'not_awaiting_output' } })
    }
    expect(calls()).toEqual(before)
    expect(transport.requests).toHaveLength(2)
  })

  it('for a call of an id that two messages have goes to the one that is named, or waits', async () => {
    const { options } = guarded()
    const { engine, submit, calls, completed } = createEngine(
      [callTools(call('1', 'ask')), callTools(call('1', 'ask')), answer('ok')],
      options,
    )
    await engine.sendMessage('go')
    await submit({ toolCallId: '1', output: 'first' })
    await untilState(engine, ({ requestState }) => requestState === 'paused')
    expect(await submit({ toolCallId: '1', messageId: 'no', output: 'x' })).toMatchObject({
      error: { code: 'unknown_tool_call' },
    })
    await submit({ toolCallId: '1', step: 2, output: 'second' })
    await completed()
    expect(calls()).toMatchObject([{ output: 'first' }, { output: 'second' }])
  })
})

describe('a call that nobody can answer for', () => {
  it('has started: the tool has its result', async () => {
    const end = Promise.withResolvers<string>()
    const started = Promise.withResolvers<void>()
    const execute = () => {
      started.resolve()
      return end.promise
    }
    const { engine, submit, calls } = createEngine([callTools(call('1')), answer('ok')], {
      tools: { work: { inputSchema, execute } },
    })
    const sent = engine.sendMessage('go')
    await started.promise
    const refused = { error: { code: 'not_awaiting_output', details: { toolCallId: '1' } } }
    expect(await submit({ toolCallId: '1', output: 'mine' })).toMatchObject(refused)
    end.resolve('its own')
    await sent
    expect(await submit({ toolCallId: '1', output: 'its own' })).toMatchObject(refused)
    expect(calls()).toMatchObject([{ output: 'its own' }])
  })

  it('is being checked once more, and what the check says then does not undo the answer', async () => {
    const { started, options } = guarded()
    const checks: PromiseWithResolvers<'user-approval' | 'denied'>[] = []
    const { engine, submit, resume, sentCalls } = createEngine(
      [callTools(call('1')), answer('ok')],
      {
        ...options,
        toolApproval: () => {
          const check = Promise.withResolvers<'user-approval' | 'denied'>()
          checks.push(check)
          return check.promise
        },
      },
    )
    const sent = engine.sendMessage('go')
    await vi.waitUntil(() => checks.length === 1)
    checks[0]?.resolve('user-approval')
    await sent
    await resume({ toolCallId: '1' })
    await vi.waitUntil(() => checks.length === 2)
    expect(await submit({ toolCallId: '1', output: 'mine' })).toMatchObject({ success: true })
    checks[1]?.resolve('denied')
    await untilState(engine, ({ requestState }) => requestState === 'completed')
    expect(sentCalls(2)).toMatchObject([{ state: 'output-available', output: 'mine' }])
    expect(started).toEqual([])
  })

  it.each([
    ['is executed elsewhere', 'executed_elsewhere', '1'],
    ['does not exist', 'unknown_tool_call', '2'],
  ])('because it %s', async (_why, code, toolCallId) => {
    const { engine, submit } = createEngine(
      [
        responseChunks(
          {},
          stepChunks(
            toolCallChunks(call('1', 'theirs')),
            approvalRequestChunks({ toolCallId: '1' }),
          ),
        ),
      ],
      {},
    )
    await engine.sendMessage('go')
    expect(await submit({ toolCallId, output: 'x' })).toMatchObject({ error: { code } })
  })

  it.each([
    undefined,
    { toolCallId: '1' },
    { output: 'x' },
    { toolCallId: '1', output: 'x', errorText: 'y' },
    { toolCallId: '1', errorText: 7 },
    { toolCallId: '1', messageId: 7, output: 'x' },
  ])('because the payload is none: %j', async (payload) => {
    const { submit } = createEngine([], {})
    expect(await submit(payload)).toMatchObject({ error: { code: 'invalid_argument' } })
  })
})
