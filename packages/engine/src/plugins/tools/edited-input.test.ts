import { jsonSchema, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { callOf, guardedTools, pausedIn, saved } from '../../../test/guarded-tools.ts'
import { promptOf } from '../../../test/model-prompt.ts'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { answer, callTools } from '../../testing/index.ts'
import { fingerprintOf } from './fingerprint.ts'
import type { ToolPluginOptions } from './options.ts'

const summary = ({ path }: { path: string }) => `Write ${path}`

async function oneWaiting(tools: ToolPluginOptions = {}) {
  const { runs, options } = guardedTools({ toolOptions: { write: { summary } }, ...tools })
  const made = createToolEngine(
    [callTools(callOf('1', 'write', 'model.txt')), answer('ok'), answer('next')],
    options,
  )
  await made.engine.sendMessage('go')
  return { ...made, runs, options }
}

describe('an input that a person edits', () => {
  it('is what runs, and the part shows it and what the model gave', async () => {
    const { engine, resume, completed, calls, runs } = await oneWaiting()
    expect(calls()).toMatchObject([{ toolMetadata: { assent: { summary: 'Write model.txt' } } }])
    expect(await resume({ toolCallId: '1', input: { path: 'mine.txt' } })).toMatchObject({
      success: true,
    })
    await completed()
    expect(runs).toEqual(['write mine.txt'])
    expect(calls()).toMatchObject([
      {
        state: 'output-available',
        input: { path: 'mine.txt' },
        output: 'write mine.txt: done',
        toolMetadata: {
          assent: { originalInput: { path: 'model.txt' }, summary: 'Write mine.txt' },
        },
      },
    ])
    expect(engine.getState().confirmations).toMatchObject([
      {
        outcome: 'yes',
        editedInput: { path: 'mine.txt' },
        fingerprint: fingerprintOf('write', { path: 'mine.txt' }),
      },
    ])
  })

  it('is what the model sees to have been run', async () => {
    const { engine, resume, completed, transport } = await oneWaiting()
    await resume({ toolCallId: '1', input: { path: 'mine.txt' } })
    await completed()
    const sent = transport.requests[1]?.messages ?? []
    const { prompt } = await promptOf([
      ...sent,
      { id: 'n', role: 'user', parts: [{ type: 'text', text: 'next' }] },
    ])
    const call = prompt!.flatMap(({ role, content }) => (role === 'assistant' ? content : []))
    expect(call).toMatchObject([{ type: 'tool-call', input: { path: 'mine.txt' } }])
    expect(JSON.stringify(prompt)).not.toContain('model.txt')
    expect(engine.getState().requestState).toBe('completed')
  })

  it('is refused when the schema refuses it, and the call waits on as it was', async () => {
    const { engine, resume, completed, calls, runs } = await oneWaiting()
    const before = saved(calls())
    expect(await resume({ toolCallId: '1', input: { path: 7 } })).toMatchObject({
      success: false,
      error: {
        code: 'invalid_input',
        message: expect.stringContaining('path'),
        details: { toolCallId: '1' },
      },
    })
    expect(calls()).toEqual(before)
    expect(engine.getState()).toMatchObject({ requestState: 'paused', confirmations: [] })
    await resume({ toolCallId: '1', input: { path: 'mine.txt' } })
    await completed()
    expect(runs).toEqual(['write mine.txt'])
  })

  it('is refused for a tool whose schema cannot tell a good one from a bad one', async () => {
    const { resume, runs, calls } = await oneWaiting({
      tools: { write: { inputSchema: jsonSchema({ type: 'object' }), execute: () => 'written' } },
    })
    expect(await resume({ toolCallId: '1', input: { path: 'mine.txt' } })).toMatchObject({
      error: { code: 'not_editable' },
    })
    expect(calls()).toMatchObject([{ state: 'approval-requested', input: { path: 'model.txt' } }])
    expect(runs).toEqual([])
  })

  it.each([
    ['with a no', { outcome: 'no' as const, input: { path: 'x' } }, 'invalid_argument'],
    ['that JSON cannot express', { input: { path: 1n } }, 'invalid_input'],
    ['that has no end', { input: cycle() }, 'invalid_input'],
  ])('is refused %s', async (_name, payload, code) => {
    const { engine, resume } = await oneWaiting()
    expect(await resume({ toolCallId: '1', ...payload })).toMatchObject({ error: { code } })
    expect(engine.getState().requestState).toBe('paused')
  })

  it('that is the very one of the model is no edit', async () => {
    const { engine, resume, completed, calls } = await oneWaiting()
    await resume({ toolCallId: '1', input: { path: 'model.txt' } })
    await completed()
    expect(calls()[0]?.toolMetadata?.['assent']).not.toHaveProperty('originalInput')
    expect(engine.getState().confirmations[0]).not.toHaveProperty('editedInput')
  })

  it('may be sent again as it is, but not another one', async () => {
    const { resume, completed, runs } = await oneWaiting()
    const mine = { toolCallId: '1', input: { path: 'mine.txt' } }
    const clicks = await Promise.all([resume(mine), resume(mine)])
    expect(clicks).toMatchObject([{ success: true }, { success: true }])
    await completed()
    expect(await resume(mine)).toMatchObject({ success: true })
    for (const payload of [
      { toolCallId: '1', input: { path: 'other.txt' } },
      { toolCallId: '1' },
    ]) {
      expect(await resume(payload)).toMatchObject({ error: { code: 'not_awaiting_approval' } })
    }
    expect(runs).toEqual(['write mine.txt'])
  })

  it('is decided by the rules as it will run', async () => {
    const { resume, completed, runs, calls } = await oneWaiting({
      toolApproval: {
        write: ({ path }: { path: string }) => (path === 'secret' ? 'denied' : 'user-approval'),
      },
    })
    await resume({ toolCallId: '1', input: { path: 'secret' } })
    await completed()
    expect(runs).toEqual([])
    expect(calls()).toMatchObject([{ state: 'output-denied', input: { path: 'secret' } }])
  })

  it('with an always for exact inputs allows what ran, not what the model had asked', async () => {
    const { runs, options } = guardedTools()
    const { engine, resume, completed, calls } = createToolEngine(
      [
        callTools(callOf('1', 'write', 'model.txt')),
        callTools([callOf('2', 'write', 'mine.txt'), callOf('3', 'write', 'model.txt')]),
        answer('ok'),
      ],
      options,
    )
    await engine.sendMessage('go')
    await resume({
      toolCallId: '1',
      outcome: 'yes_always',
      input: { path: 'mine.txt' },
      scope: { covers: 'input' },
    })
    await pausedIn(engine, 2)
    expect(calls().map(({ state }) => state)).toEqual([
      'output-available',
      'approval-responded',
      'approval-requested',
    ])
    await resume({ toolCallId: '3', outcome: 'no' })
    await completed()
    expect(runs).toEqual(['write mine.txt', 'write mine.txt'])
  })

  it('goes through the schema once more: the part has what was typed, the tool what that means', async () => {
    const given: unknown[] = []
    const { resume, completed, calls } = await oneWaiting({
      tools: {
        write: {
          inputSchema: z.object({ path: z.string().trim(), mode: z.string().default('w') }),
          execute: (input: unknown) => void given.push(input),
        },
      },
    })
    await resume({ toolCallId: '1', input: { path: ' mine.txt ' } })
    await completed()
    expect(given).toEqual([{ path: 'mine.txt', mode: 'w' }])
    expect(calls()).toMatchObject([
      { input: { path: ' mine.txt ' }, toolMetadata: { assent: { summary: 'Write mine.txt' } } },
    ])
  })
})

describe('an edited input that is still being looked at', () => {
  it('is not overtaken by an always on another call: what runs is what the person typed', async () => {
    const validating = Promise.withResolvers<void>()
    const looking = Promise.withResolvers<void>()
    const path = z.string().refine(async (text) => {
      if (text !== 'mine.txt') return text !== 'bad.txt'
      looking.resolve()
      await validating.promise
      return true
    })
    const runs: string[] = []
    const { engine, resume, completed, calls } = createToolEngine(
      [callTools([callOf('1'), callOf('2'), callOf('3')]), answer('ok')],
      {
        tools: {
          write: tool({
            inputSchema: z.object({ path }),
            execute: (input) => void runs.push(input.path),
          }),
        },
        toolApproval: { write: 'user-approval' },
      },
    )
    await engine.sendMessage('go')
    const edited = resume({ toolCallId: '1', input: { path: 'mine.txt' } })
    await looking.promise
    expect(
      await resume({ toolCallId: '2', outcome: 'yes_always', scope: { covers: 'tool' } }),
    ).toMatchObject({
      result: { settled: [{ toolCallId: '3' }] },
    })
    expect(calls()[0]).toMatchObject({ state: 'approval-requested' })
    validating.resolve()
    expect(await edited).toMatchObject({ success: true })
    await completed()
    expect(runs.toSorted()).toEqual(['2.txt', '3.txt', 'mine.txt'])
    expect(calls()[0]).toMatchObject({ toolMetadata: { assent: { decidedBy: 'person' } } })
  })

  it('that is refused leaves its call to the always that came meanwhile', async () => {
    const { runs, options } = guardedTools()
    const { engine, resume, completed, calls } = createToolEngine(
      [callTools([callOf('1'), callOf('2')]), answer('ok')],
      options,
    )
    await engine.sendMessage('go')
    const clicks = await Promise.all([
      resume({ toolCallId: '1', input: { path: 7 } }),
      resume({ toolCallId: '2', outcome: 'yes_always', scope: { covers: 'tool' } }),
    ])
    expect(clicks).toMatchObject([
      { success: false, error: { code: 'invalid_input' } },
      { success: true },
    ])
    await completed()
    expect(runs).toEqual(['write 1.txt', 'write 2.txt'])
    expect(calls()[0]).toMatchObject({ toolMetadata: { assent: { decidedBy: 'policy' } } })
  })
})

function cycle(): object {
  const made: Record<string, unknown> = {}
  made['self'] = made
  return made
}
