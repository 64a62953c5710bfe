import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { callOf, guardedTools } from '../../../test/guarded-tools.ts'
import { createToolEngine, type ToolEngine } from '../../../test/tool-engine.ts'
import { memoryStorage } from '../../storage/memory-storage.ts'
import { defineStorage } from '../../storage/define-storage.ts'
import { answer, callTools, untilState } from '../../testing/index.ts'
import { fingerprintOfCall } from './turn-calls.ts'

/** Writes another input into what `getState` gives out, without a word to the engine. */
function tamper({ engine }: ToolEngine, input: unknown): void {
  for (const { parts } of engine.getState().messages) {
    for (const [index, part] of parts.entries()) {
      if (part.type === 'tool-write') parts[index] = { ...part, input }
    }
  }
}

const OTHER = { path: 'passwd' }

async function asked(more = {}) {
  const { runs, options } = guardedTools()
  const made = createToolEngine([callTools(callOf('1')), answer('ok')], { ...options, ...more })
  await made.engine.sendMessage('go')
  return { ...made, runs }
}

describe('an input that somebody changes in the state', () => {
  it.each(['yes', 'yes_always'] as const)(
    'is not what a decision without a fingerprint is about: %s',
    async (outcome) => {
      const made = await asked()
      tamper(made, OTHER)
      expect(await made.resume({ toolCallId: '1', outcome })).toMatchObject({
        error: { code: 'call_changed' },
      })
      expect(made.runs).toEqual([])
      expect(made.engine.getState().requestState).toBe('paused')
    },
  )

  it('can be denied, and approved by who names it as it is now', async () => {
    const denied = await asked()
    tamper(denied, OTHER)
    await denied.resume({ toolCallId: '1', outcome: 'no' })
    await denied.completed()
    expect(denied.runs).toEqual([])
    const approved = await asked()
    tamper(approved, OTHER)
    const fingerprint = fingerprintOfCall(approved.calls()[0]!)
    await approved.resume({ toolCallId: '1', fingerprint })
    await approved.completed()
    expect(approved.runs).toEqual(['write passwd'])
  })

  it('is asked about when it was approved as another one', async () => {
    const made = await asked({ concurrency: 1 })
    let isChanged = false
    made.engine.subscribe(() => {
      if (isChanged || made.calls()[0]?.state !== 'approval-responded') return
      isChanged = true
      tamper(made, OTHER)
    })
    await made.resume({ toolCallId: '1' })
    await untilState(made.engine, ({ requestState }) => requestState !== 'processing')
    expect(isChanged).toBe(true)
    expect(made.runs).not.toContain('write passwd')
  })

  it('is asked about when a rule let another one run, and not this one', async () => {
    const holder: { made?: ToolEngine } = {}
    const { runs, options } = guardedTools({
      toolApproval: {
        write: ({ path }: { path: string }) => {
          if (holder.made) tamper(holder.made, OTHER)
          return path === 'passwd' ? ('user-approval' as const) : ('approved' as const)
        },
      },
    })
    const made = createToolEngine([callTools(callOf('1')), answer('ok')], options)
    holder.made = made
    await made.engine.sendMessage('go')
    expect(runs).toEqual([])
    expect(made.engine.getState().requestState).toBe('paused')
    expect(made.calls()).toMatchObject([{ state: 'approval-requested', input: OTHER }])
  })

  it('cannot be written into in development', async () => {
    const made = await asked()
    const { input } = made.calls()[0]!
    expect(() => Object.assign(input as object, OTHER)).toThrow(TypeError)
  })
})

describe('a schema that reads an input differently than it did', () => {
  let count = 0
  afterEach(() => (count = 0))
  const execute = ({ path }: { path: string }) => runs.push(path)
  const runs: string[] = []
  afterEach(() => void runs.splice(0))
  const stored = () => ({ id: 'chat', storage: defineStorage(memoryStorage()) })

  it.each([
    ['without a storage', {}],
    ['with one', stored()],
  ])('has its rules asked about what runs: %s', async (_name, options) => {
    const seen: string[] = []
    const inputSchema = z.object({
      path: z.string().transform((path) => (++count > 1 ? 'passwd' : path)),
    })
    const { engine } = createToolEngine(
      [callTools(callOf('1')), answer('ok')],
      {
        tools: { write: { inputSchema, execute } },
        toolApproval: {
          write: ({ path }: { path: string }) => {
            seen.push(path)
            return path === 'passwd' ? ('user-approval' as const) : ('approved' as const)
          },
        },
      },
      options,
    )
    await engine.sendMessage('go')
    expect(seen.at(-1)).toBe('passwd')
    expect(runs).toEqual([])
    expect(engine.getState().requestState).toBe('paused')
  })

  it.each([
    ['without a storage', {}],
    ['with one', stored()],
  ])('is asked about again once it answers differently each time: %s', async (_name, options) => {
    let isOdd = false
    const inputSchema = z.object({
      path: z.string().transform((path) => (isOdd ? `passwd${++count}` : path)),
    })
    const made = createToolEngine(
      [callTools(callOf('1')), answer('ok')],
      { tools: { write: { inputSchema, execute } }, toolApproval: { write: 'user-approval' } },
      options,
    )
    await made.engine.sendMessage('go')
    isOdd = true
    await made.resume({ toolCallId: '1' })
    await untilState(made.engine, ({ requestState }) => requestState === 'paused')
    expect(runs).toEqual([])
    // Who is asked about it as it is can let it run.
    await made.resume({ toolCallId: '1' })
    await made.completed()
    expect(runs).toHaveLength(1)
  })
})

describe('a call id that is used in several steps', () => {
  async function askedTwice() {
    const { runs, options } = guardedTools()
    const made = createToolEngine(
      [callTools(callOf('1', 'write', 'a')), callTools(callOf('1', 'remove', 'b')), answer('ok')],
      options,
    )
    await made.engine.sendMessage('go')
    await made.resume({ toolCallId: '1' })
    await untilState(
      made.engine,
      ({ requestState, turn }) => requestState === 'paused' && turn?.step === 2,
    )
    return { ...made, runs }
  }

  it.each([
    ['resumeToolCall', {}],
    ['submitToolOutput', { output: 1 }],
    ['cancelToolCall', {}],
  ] as const)('is refused without its step: %s', async (command, more) => {
    const { engine, runs } = await askedTwice()
    const result = await engine.runPluginCommand('tool', command, { toolCallId: '1', ...more })
    expect(result).toMatchObject({ success: false, error: { code: 'invalid_argument' } })
    expect(!result.success && result.error.message).toMatch(/step/)
    expect(runs).toEqual(['write a'])
  })

  it('is decided with its step', async () => {
    const { resume, completed, runs } = await askedTwice()
    expect(await resume({ toolCallId: '1', step: 2 })).toMatchObject({ success: true })
    await completed()
    expect(runs).toEqual(['write a', 'remove b'])
  })
})
