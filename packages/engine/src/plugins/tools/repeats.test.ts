import { describe, expect, it } from 'vitest'
import { callOf, guardedTools, pausedIn } from '../../../test/guarded-tools.ts'
import { createToolEngine } from '../../../test/tool-engine.ts'
import type { MessageEngineOptions } from '../../message-engine.ts'
import { assentMetadata } from '../../message/tool-part.ts'
import { defineStorage } from '../../storage/define-storage.ts'
import { memoryStorage } from '../../storage/memory-storage.ts'
import { answer, callTools } from '../../testing/index.ts'
import type { ToolPluginOptions } from './options.ts'
import { toolPlugin } from './tool-plugin.ts'

/** A model that makes the same call so often, one after the other, and then answers. */
function repeating(
  count: number,
  tools: ToolPluginOptions = {},
  more: Partial<MessageEngineOptions> = {},
) {
  const { runs, options } = guardedTools(tools)
  const same = (index: number) => callTools(callOf(`${index + 1}`, 'read', 'a.txt'))
  const made = createToolEngine(
    [...Array.from({ length: count }, (_, i) => same(i)), answer('ok')],
    options,
    more,
  )
  return { ...made, runs }
}

const repeated = (times: number) =>
  `You have made this exact call ${times} times in this turn. Try something else, or answer.`

describe('a call that comes again and again in a turn', () => {
  it('is told to the model from the third on, beside its output', async () => {
    const { engine, completed, sentCalls, calls } = repeating(4)
    await engine.sendMessage('go')
    await completed()
    expect(sentCalls(5).map((part) => part.output)).toEqual([
      'read a.txt: done',
      'read a.txt: done',
      `read a.txt: done\n${repeated(3)}`,
      `read a.txt: done\n${repeated(4)}`,
    ])
    expect(calls().map((part) => part.output)).toEqual(Array(4).fill('read a.txt: done'))
  })

  it('is told where the output is no text, in a field of its own', async () => {
    const outputs: unknown[] = [{ rows: 1 }, { rows: 1 }, { rows: 1 }, [1, 2]]
    const { engine, completed, sentCalls } = repeating(4, {
      tools: {
        read: {
          inputSchema: guardedTools().options.tools!['read']!.inputSchema,
          execute: () => outputs.shift(),
        },
      },
      toolApproval: {},
    })
    await engine.sendMessage('go')
    await completed()
    expect(sentCalls(5).map((part) => part.output)).toEqual([
      { rows: 1 },
      { rows: 1 },
      { rows: 1, note: repeated(3) },
      { output: [1, 2], note: repeated(4) },
    ])
  })

  it('asks a person from the fifth on, although a rule approves it, and says why', async () => {
    const { engine, resume, runs, calls } = repeating(6, { toolApproval: { read: 'approved' } })
    await engine.sendMessage('go')
    await pausedIn(engine, 5)
    expect(runs).toHaveLength(4)
    expect(calls().at(-1)).toMatchObject({
      state: 'approval-requested',
      approval: { requestReason: 'This exact call was made 5 times in this reply.' },
    })
    await resume({ toolCallId: '5' })
    await pausedIn(engine, 6)
    expect(runs).toHaveLength(5)
  })

  it('asks also where a standing permission covers it, and such a yes does not cover the next', async () => {
    const { engine, resume, runs } = repeating(6, { toolApproval: { read: 'user-approval' } })
    await engine.sendMessage('go')
    await pausedIn(engine, 1)
    await resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } })
    await pausedIn(engine, 5)
    expect(runs).toHaveLength(4)
    await resume({ toolCallId: '5', outcome: 'yes_always', scope: { covers: 'tool' } })
    await pausedIn(engine, 6)
    expect(runs).toHaveLength(5)
  })

  it('does not run the eighth time: the turn ends and says why', async () => {
    const { engine, completed, transport, calls, runs } = repeating(9, {
      repeatLimits: { ask: Infinity },
    })
    await engine.sendMessage('go')
    await completed()
    expect(runs).toHaveLength(7)
    expect(transport.requests).toHaveLength(8)
    expect(engine.getState().turn?.notice).toBe('repeated-calls')
    expect(calls().at(-1)).toMatchObject({
      state: 'output-error',
      errorText: 'Not executed: this exact call was made 8 times in this turn, which ends here.',
    })
  })

  it('counts by tool and input within one turn, also within one step', async () => {
    const { runs, options } = guardedTools()
    const calls = ['a', 'b', 'a', 'a', 'b'].map((path, index) => callOf(`${index}`, 'read', path))
    const {
      engine,
      completed,
      calls: shown,
    } = createToolEngine(
      [callTools(calls), answer('ok'), callTools(callOf('9', 'read', 'a')), answer('ok')],
      options,
    )
    await engine.sendMessage('go')
    await completed()
    await engine.sendMessage('again')
    await completed()
    expect(runs).toHaveLength(6)
    expect(shown().map((part) => assentMetadata(part).repeats)).toEqual([
      undefined,
      undefined,
      undefined,
      3,
      undefined,
      undefined,
    ])
  })

  it('is counted on after a reload', async () => {
    const storage = defineStorage(memoryStorage())
    const kept = { id: 'chat', storage }
    const { engine } = repeating(5, {}, kept)
    await engine.sendMessage('go')
    await pausedIn(engine, 5)
    engine.dispose()
    const later = repeating(1, {}, kept)
    await later.engine.ready
    await later.resume({ toolCallId: '5' })
    await pausedIn(later.engine, 6)
    expect(later.calls().map((part) => assentMetadata(part).repeats)).toEqual([
      undefined,
      undefined,
      3,
      4,
      5,
      6,
    ])
  })

  it('is of no account where that is turned off, for all tools or for one', async () => {
    const off: ToolPluginOptions[] = [
      { repeatLimits: false },
      { toolOptions: { read: { repeatLimits: false } } },
    ]
    for (const tools of off) {
      const { engine, completed, runs, sentCalls } = repeating(10, tools)
      await engine.sendMessage('go')
      await completed()
      expect(runs).toHaveLength(10)
      expect(sentCalls(11).at(-1)).toMatchObject({ output: 'read a.txt: done' })
    }
  })

  it('refuses limits that are no numbers of at least 1', () => {
    for (const ask of [0, Number.NaN, '5' as unknown as number]) {
      expect(() => toolPlugin({ repeatLimits: { ask } })).toThrow('repeatLimits is false, or')
    }
  })
})
