import { tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { callOf, decisionsIn, pausedIn, saved, waitingIds } from '../../../test/guarded-tools.ts'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { toolCallStatus } from '../../message/tool-part.ts'
import { answer, callTools } from '../../testing/index.ts'
import type { ToolPluginOptions } from './options.ts'

/** A tool that asks the user, and one that acts. Nobody executes `ask`. */
function askTheUser(more: ToolPluginOptions = {}) {
  const runs: string[] = []
  const options: ToolPluginOptions = {
    tools: {
      ask: tool({ inputSchema: z.object({ question: z.string() }) }),
      write: tool({
        inputSchema: z.object({ path: z.string() }),
        execute: ({ path }) => {
          runs.push(path)
          return 'written'
        },
      }),
    },
    ...more,
  }
  return { runs, options }
}

const question = (toolCallId: string) => ({
  toolCallId,
  toolName: 'ask',
  input: { question: 'Which one?' },
})

describe('a tool that nobody executes', () => {
  it('makes the turn wait for the output of a person, and the model reads it', async () => {
    const { options } = askTheUser()
    const { engine, calls, completed, sentCalls } = createToolEngine(
      [callTools([question('1'), question('2')]), answer('ok')],
      options,
    )
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'paused' })
    expect(engine.getState().turn?.pauseReason).toMatchObject({
      type: 'output',
      toolCalls: [{ toolCallId: '1' }, { toolCallId: '2' }],
    })
    expect(calls().map(toolCallStatus)).toEqual(['awaiting-output', 'awaiting-output'])
    await engine.runPluginCommand('tool', 'submitToolOutput', { toolCallId: '2', output: 'b' })
    expect(waitingIds(engine)).toEqual(['1'])
    expect(engine.getState().requestState).toBe('paused')
    await engine.runPluginCommand('tool', 'submitToolOutput', { toolCallId: '1', output: 'a' })
    await completed()
    expect(sentCalls(2)).toMatchObject([
      { state: 'output-available', output: 'a', toolMetadata: { assent: { submitted: true } } },
      { state: 'output-available', output: 'b' },
    ])
  })

  it('waits again after a reload from plain messages, and can be answered there', async () => {
    const { options } = askTheUser()
    const first = createToolEngine([callTools(question('1'))], options)
    await first.engine.sendMessage('go')
    const { messages } = saved(first.engine.getState())
    const { engine, calls, completed, sentCalls } = createToolEngine([answer('ok')], options, {
      messages,
    })
    expect(engine.getState()).toMatchObject({
      requestState: 'paused',
      turn: { pauseReason: { type: 'output', toolCalls: [{ toolCallId: '1' }] } },
    })
    expect(calls().map(toolCallStatus)).toEqual(['awaiting-output'])
    await engine.runPluginCommand('tool', 'submitToolOutput', { toolCallId: '1', output: 'a' })
    await completed()
    expect(sentCalls(1)).toMatchObject([{ state: 'output-available', output: 'a' }])
  })

  it('waits for a decision first where its rules ask, then for the output', async () => {
    const { options } = askTheUser({ toolApproval: { ask: 'user-approval' } })
    const { engine, resume, calls, completed } = createToolEngine(
      [callTools([question('1'), question('2')]), answer('ok')],
      options,
    )
    await engine.sendMessage('go')
    expect(engine.getState().turn?.pauseReason?.type).toBe('approval')
    await resume({ toolCallId: '1' })
    expect(engine.getState().turn?.pauseReason?.type).toBe('approval')
    await resume({ toolCallId: '2', outcome: 'no', reason: 'do not ask me' })
    await pausedIn(engine, 1)
    expect(engine.getState().turn?.pauseReason).toMatchObject({
      type: 'output',
      toolCalls: [{ toolCallId: '1' }],
    })
    expect(calls().map(toolCallStatus)).toEqual(['awaiting-output', 'denied'])
    await engine.runPluginCommand('tool', 'submitToolOutput', { toolCallId: '1', output: 'a' })
    await completed()
    expect(calls()).toMatchObject([{ output: 'a' }, { approval: { reason: 'do not ask me' } }])
  })

  it('can be dismissed by a no, which the model reads; a yes decides nothing', async () => {
    const { options } = askTheUser()
    const { engine, resume, completed, sentCalls } = createToolEngine(
      [callTools(question('1')), answer('ok')],
      options,
    )
    await engine.sendMessage('go')
    for (const outcome of ['yes', 'yes_always'] as const) {
      expect(await resume({ toolCallId: '1', outcome })).toMatchObject({
        error: { code: 'not_awaiting_approval' },
      })
    }
    await resume({ toolCallId: '1', outcome: 'no', reason: 'I do not know.' })
    await completed()
    expect(sentCalls(2)).toMatchObject([
      { state: 'output-denied', approval: { approved: false, reason: 'I do not know.' } },
    ])
    expect(decisionsIn(engine.getState().confirmations)).toEqual(['1: no'])
  })

  it('does not hold up the tools beside it, but the next request', async () => {
    const { options, runs } = askTheUser()
    const { engine, transport, completed, sentCalls } = createToolEngine(
      [callTools([question('1'), callOf('2')]), answer('ok')],
      options,
    )
    await engine.sendMessage('go')
    expect(runs).toEqual(['2.txt'])
    expect(waitingIds(engine)).toEqual(['1'])
    expect(transport.requests).toHaveLength(1)
    await engine.runPluginCommand('tool', 'submitToolOutput', { toolCallId: '1', output: 'a' })
    await completed()
    expect(sentCalls(2)).toMatchObject([{ output: 'a' }, { output: 'written' }])
  })

  it('is closed with its turn when that is aborted, and cannot be answered any more', async () => {
    const { options } = askTheUser()
    const { engine, transport, calls } = createToolEngine([callTools(question('1'))], options)
    await engine.sendMessage('go')
    await engine.abort()
    expect(calls().map(toolCallStatus)).toEqual(['cancelled'])
    expect(
      await engine.runPluginCommand('tool', 'submitToolOutput', { toolCallId: '1', output: 'a' }),
    ).toMatchObject({ error: { code: 'not_awaiting_output' } })
    transport.add(answer('hi'))
    expect(await engine.sendMessage('hello')).toMatchObject({ requestState: 'completed' })
  })

  it('whose input its schema refuses is a failed call, not a question', async () => {
    const { options } = askTheUser()
    const { engine, sentCalls } = createToolEngine(
      [callTools({ ...question('1'), input: { question: 7 } }), answer('ok')],
      options,
    )
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect(sentCalls(2)).toMatchObject([
      { state: 'output-error', errorText: expect.stringContaining('question') },
    ])
  })
})
