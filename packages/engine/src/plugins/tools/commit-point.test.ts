import { asSchema, type Schema, type UIMessageChunk } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createToolEngine, type ToolEngine } from '../../../test/tool-engine.ts'
import { defineStorage } from '../../storage/define-storage.ts'
import { memoryStorage } from '../../storage/memory-storage.ts'
import type { ConversationStorage } from '../../storage/storage.ts'
import { answer, callTools, untilState } from '../../testing/index.ts'
import type { ToolPluginOptions } from './options.ts'

const write = { toolCallId: '1', toolName: 'write', input: { path: 'a' } }

/** A schema whose answers a test gives when it likes: at once until it is told to hold them. */
function heldSchema() {
  let held: PromiseWithResolvers<void> | undefined
  let reached: PromiseWithResolvers<void> | undefined
  const schema: Schema<{ path: string }> = {
    ...asSchema(z.object({ path: z.string() })),
    validate: async (value) => {
      reached?.resolve()
      await held?.promise
      // The test's own calls have such an input.
      return { success: true, value: value as { path: string } }
    },
  }
  return {
    schema,
    /** Holds what is asked from now on; resolves when something is. */
    hold: () => {
      held = Promise.withResolvers()
      reached = Promise.withResolvers()
      return reached.promise
    },
    release: () => held?.resolve(),
  }
}

/** A store whose writes can be held back. */
function heldStorage() {
  const disk = memoryStorage()
  let held: PromiseWithResolvers<void> | undefined
  let reached: PromiseWithResolvers<void> | undefined
  let heldId = ''
  const storage: ConversationStorage = {
    ...disk,
    write: async (...call) => {
      const written = JSON.stringify([...(call[1].put?.values() ?? [])])
      if (held && new RegExp(`"toolCallId":"${heldId}".*"startedAt"`).test(written)) {
        reached?.resolve()
        await held.promise
      }
      return disk.write(...call)
    },
  }
  return {
    storage: defineStorage(storage),
    /** Holds the write that notes that a call starts; resolves when it is asked for. */
    hold: (toolCallId: string) => {
      heldId = toolCallId
      held = Promise.withResolvers()
      reached = Promise.withResolvers()
      return reached.promise
    },
    release: () => held?.resolve(),
  }
}

const ways: readonly (readonly [string, (made: ToolEngine) => Promise<unknown>])[] = [
  [
    'was cancelled',
    ({ engine }) => engine.runPluginCommand('tool', 'cancelToolCall', { toolCallId: '1' }),
  ],
  [
    'was answered by hand',
    ({ engine }) =>
      engine.runPluginCommand('tool', 'submitToolOutput', { toolCallId: '1', output: 'mine' }),
  ],
]

describe('a call that is being read once more before it starts', () => {
  it.each(['step', 'call'] as const)(
    "never runs once it was cancelled or answered: gate '%s'",
    async (gate) => {
      for (const [, settle] of ways) {
        const { schema, hold, release } = heldSchema()
        const execute = vi.fn(() => 'written')
        const options: ToolPluginOptions = {
          gate,
          tools: { write: { inputSchema: schema, execute } },
          toolApproval: { write: 'user-approval' },
        }
        const before = createToolEngine([callTools(write)], options)
        await before.engine.sendMessage('go')
        // A restored call has not been read here.
        const { messages } = before.engine.getState()
        const made = createToolEngine([answer('ok')], options, { messages })
        const reading = hold()
        await made.resume({ toolCallId: '1' })
        await reading
        expect(await settle(made)).toMatchObject({ success: true })
        const [settled] = made.calls()
        release()
        await made.completed()
        expect(execute).not.toHaveBeenCalled()
        expect(made.calls()).toEqual([settled])
        expect(made.errors).toEqual([])
      }
    },
  )

  it('never runs once the permission that let it was taken back', async () => {
    const { schema, hold, release } = heldSchema()
    const execute = vi.fn(() => 'written')
    const options: ToolPluginOptions = {
      gate: 'call',
      tools: { write: { inputSchema: schema, execute } },
      toolApproval: { write: 'user-approval' },
    }
    const made = createToolEngine(
      [callTools(write), callTools({ ...write, toolCallId: '2' }), answer('ok')],
      options,
    )
    await made.engine.sendMessage('go')
    await made.resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } })
    await untilState(made.engine, ({ requestState }) => requestState === 'completed')
    made.transport.add(callTools({ ...write, toolCallId: '3' }), answer('ok'))
    const reading = hold()
    void made.engine.sendMessage('once more')
    await reading
    const [policy] = made.engine.getState().confirmations
    const revoked = await made.engine.runPluginCommand('tool', 'revokePolicy', {
      policyId: policy!.id,
    })
    expect(revoked).toMatchObject({ success: true })
    release()
    await untilState(made.engine, ({ requestState }) => requestState === 'paused')
    expect(execute).toHaveBeenCalledTimes(2)
    expect(made.calls()[2]).toMatchObject({ state: 'approval-requested' })
  })

  it('that was cancelled says nothing any more while the next answer streams', async () => {
    const { schema, hold, release } = heldSchema()
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    try {
      const options: ToolPluginOptions = {
        tools: { write: { inputSchema: schema, execute: () => 'written' } },
        toolApproval: { write: 'user-approval' },
      }
      const before = createToolEngine([callTools(write)], options)
      await before.engine.sendMessage('go')
      const { messages } = before.engine.getState()
      const made = createToolEngine([], options, { messages })
      const streamed = made.transport.hold()
      const reading = hold()
      await made.resume({ toolCallId: '1' })
      await reading
      await made.engine.runPluginCommand('tool', 'cancelToolCall', { toolCallId: '1' })
      await made.transport.requested(1)
      streamed.push({ type: 'start' }, { type: 'start-step' }, { type: 'text-start', id: 't' })
      await untilState(made.engine, ({ processingState }) => processingState === 'completing')
      release()
      await new Promise((resolve) => setImmediate(resolve))
      streamed.push(
        { type: 'text-end', id: 't' },
        { type: 'finish-step' },
        { type: 'finish', finishReason: 'stop' },
      )
      streamed.end()
      await made.completed()
      expect(unhandled).not.toHaveBeenCalled()
      expect(made.errors).toEqual([])
    } finally {
      process.off('unhandledRejection', unhandled)
    }
  })
})

describe('while it is being stored that a call starts', () => {
  /** A call that was approved, and whose start is not stored yet. */
  async function starting(more: ToolPluginOptions = {}) {
    const disk = heldStorage()
    const execute = vi.fn(() => 'written')
    const made = createToolEngine(
      [callTools(write), answer('ok')],
      {
        tools: { write: { inputSchema: z.object({ path: z.string() }), execute } },
        toolApproval: { write: 'user-approval' },
        ...more,
      },
      { id: 'chat', storage: disk.storage },
    )
    await made.engine.sendMessage('go')
    const stored = disk.hold('1')
    const resumed = made.resume({ toolCallId: '1' })
    await stored
    return { ...made, disk, execute, resumed }
  }

  it('a deny of its rule keeps it from running', async () => {
    let says: 'user-approval' | 'denied' = 'user-approval'
    const { engine, disk, execute, calls } = await starting({
      toolApproval: { write: () => says },
    })
    says = 'denied'
    disk.release()
    await untilState(engine, ({ requestState }) => requestState === 'completed')
    expect(execute).not.toHaveBeenCalled()
    expect(calls()).toMatchObject([{ state: 'output-denied' }])
  })

  it.each(ways)('a call never runs once it %s', async (_name, settle) => {
    const made = await starting()
    // A command is over when what it did is stored.
    const settling = settle(made)
    await vi.waitFor(() => expect(made.calls()[0]?.state).toMatch(/^output-/))
    const [settled] = made.calls()
    made.disk.release()
    expect(await settling).toMatchObject({ success: true })
    await made.completed()
    expect(made.execute).not.toHaveBeenCalled()
    expect(made.calls()).toEqual([settled])
  })

  it('a cancelled call says that it did not run', async () => {
    const made = await starting()
    const cancelled = made.engine.runPluginCommand('tool', 'cancelToolCall', { toolCallId: '1' })
    await vi.waitFor(() => expect(made.calls()[0]?.state).toBe('output-error'))
    made.disk.release()
    await cancelled
    await made.completed()
    expect(made.calls()).toMatchObject([{ errorText: expect.stringContaining('did not run') }])
  })
})

describe('while it is being stored that a call starts under a standing permission', () => {
  async function startingByPolicy(scope: { covers: 'tool'; until?: number }, now = () => 1_000) {
    const disk = heldStorage()
    const execute = vi.fn(() => 'written')
    const made = createToolEngine(
      [callTools(write), callTools({ ...write, toolCallId: '2' }), answer('ok')],
      {
        tools: { write: { inputSchema: z.object({ path: z.string() }), execute } },
        toolApproval: { write: 'user-approval' },
      },
      { id: 'chat', storage: disk.storage, now },
    )
    await made.engine.sendMessage('go')
    const stored = disk.hold('2')
    await made.resume({ toolCallId: '1', outcome: 'yes_always', scope })
    await stored
    return { ...made, disk, execute }
  }

  it('taking it back keeps the call from running: it is asked about again', async () => {
    const { engine, disk, execute, calls } = await startingByPolicy({ covers: 'tool' })
    const [policy] = engine.getState().confirmations
    const revoked = engine.runPluginCommand('tool', 'revokePolicy', { policyId: policy!.id })
    disk.release()
    expect(await revoked).toMatchObject({
      success: true,
      result: { asked: [{ toolCallId: '2' }] },
    })
    await untilState(engine, ({ requestState }) => requestState === 'paused')
    expect(execute).toHaveBeenCalledTimes(1)
    expect(calls()[1]).toMatchObject({ state: 'approval-requested' })
  })

  it('its end keeps the call from running: it is asked about again', async () => {
    let time = 1_000
    const { engine, disk, execute, calls } = await startingByPolicy(
      { covers: 'tool', until: 2_000 },
      () => time,
    )
    time = 3_000
    disk.release()
    await untilState(engine, ({ requestState }) => requestState === 'paused')
    expect(execute).toHaveBeenCalledTimes(1)
    expect(calls()[1]).toMatchObject({ state: 'approval-requested' })
  })
})

describe('two engines that were restored from one store', () => {
  it.each(['step', 'call'] as const)(
    "start a call once when both are told yes, and the second shows that: gate '%s'",
    async (gate) => {
      const storage = memoryStorage()
      const execute = vi.fn(() => 'written')
      const options: ToolPluginOptions = {
        gate,
        tools: { write: { inputSchema: z.object({ path: z.string() }), execute } },
        toolApproval: { write: 'user-approval' },
      }
      const open = (script: Parameters<typeof createToolEngine>[0]) =>
        createToolEngine(script, options, { id: 'chat', storage: defineStorage(storage) })
      const before = open([callTools(write)])
      await before.engine.sendMessage('go')
      before.engine.dispose()
      const both = [open([answer('ok')]), open([answer('ok')])]
      await Promise.all(both.map(({ engine }) => engine.ready))
      await Promise.all(both.map(({ resume }) => resume({ toolCallId: '1' })))
      await Promise.all(
        both.map(({ engine }) =>
          untilState(engine, ({ requestState }) => /completed|error/.test(requestState)),
        ),
      )
      expect(execute).toHaveBeenCalledTimes(1)
      const errors = both.flatMap(({ engine }) => engine.getState().error ?? [])
      expect(errors).toMatchObject([{ code: 'taken_over' }])
    },
  )
})

describe('a call that a person lets run although it cannot be stored that it starts', () => {
  async function withFullDisk(risk: 'write' | 'destroy') {
    const disk = memoryStorage()
    let isFull = false
    const execute = vi.fn(() => 'written')
    const made = createToolEngine(
      [callTools(write), answer('ok')],
      {
        tools: { write: { inputSchema: z.object({ path: z.string() }), execute } },
        toolApproval: { write: 'user-approval' },
        toolOptions: { write: { risk } },
      },
      {
        id: 'chat',
        storage: defineStorage({
          ...disk,
          write: async (...call) => {
            if (isFull) throw new Error('The disk is full.')
            return disk.write(...call)
          },
        }),
      },
    )
    await made.engine.sendMessage('go')
    isFull = true
    void made.resume({ toolCallId: '1' })
    await untilState(made.engine, ({ requestState }) => requestState === 'paused')
    return { ...made, execute }
  }

  it('asks by default, and runs then, this once, with a note of it', async () => {
    const { execute, calls, resume, completed, engine } = await withFullDisk('write')
    expect(execute).not.toHaveBeenCalled()
    expect(calls()).toMatchObject([
      { state: 'approval-requested', toolMetadata: { assent: { recordFailed: true } } },
    ])
    void resume({ toolCallId: '1', withoutRecord: true })
    await completed()
    expect(execute).toHaveBeenCalledTimes(1)
    expect(calls()).toMatchObject([{ toolMetadata: { assent: { withoutRecord: true } } }])
    expect(engine.getState().confirmations.at(-1)).toMatchObject({ withoutRecord: true })
  })

  it('never is one that destroys', async () => {
    const { execute, resume } = await withFullDisk('destroy')
    expect(await resume({ toolCallId: '1', withoutRecord: true })).toMatchObject({
      error: { code: 'invalid_argument' },
    })
    expect(execute).not.toHaveBeenCalled()
  })
})

describe('a call that was settled here', () => {
  const about: readonly UIMessageChunk[] = [
    { type: 'tool-output-available', toolCallId: '1', output: 'forged' },
    { type: 'tool-output-available', toolCallId: '1', output: 'forged', preliminary: true },
    { type: 'tool-output-error', toolCallId: '1', errorText: 'forged' },
    { type: 'tool-output-denied', toolCallId: '1' },
    { type: 'tool-approval-request', toolCallId: '1', approvalId: 'forged' },
  ]

  it.each(about.flatMap((chunk) => [[chunk, 'yes'] as const, [chunk, 'no'] as const]))(
    'stays as it is, whatever a later response says: %j after a %s',
    async (chunk, outcome) => {
      const execute = vi.fn(() => 'written')
      const made = createToolEngine(
        [
          callTools(write),
          [
            { type: 'start' },
            chunk,
            { type: 'start-step' },
            { type: 'finish-step' },
            { type: 'finish' },
          ],
        ],
        {
          tools: { write: { inputSchema: z.object({ path: z.string() }), execute } },
          toolApproval: { write: 'user-approval' },
        },
      )
      await made.engine.sendMessage('go')
      await made.resume({ toolCallId: '1', outcome })
      await untilState(made.engine, ({ requestState }) => requestState === 'error')
      expect(made.engine.getState().error).toMatchObject({ code: 'stream_invalid' })
      expect(execute).toHaveBeenCalledTimes(outcome === 'yes' ? 1 : 0)
      expect(made.calls()).toMatchObject([
        outcome === 'yes'
          ? { state: 'output-available', output: 'written' }
          : { state: 'output-denied' },
      ])
    },
  )
})

describe('what callbacks do with the input of a call', () => {
  it('does not change what runs: each has a copy of its own', async () => {
    const sort = (input: { tags: string[] }) => void input.tags.sort()
    const ran: unknown[] = []
    const made = createToolEngine(
      [callTools({ ...write, input: { tags: ['b', 'a'] } }), answer('ok')],
      {
        tools: {
          write: {
            inputSchema: z.object({ tags: z.array(z.string()) }),
            execute: (input: unknown) => {
              ran.push(structuredClone(input))
              return 'written'
            },
          },
        },
        toolApproval: {
          write: (input: { tags: string[] }) => {
            attempt(() => sort(input))
            return 'user-approval' as const
          },
        },
        toolOptions: {
          write: {
            summary: (input: { tags: string[] }) => {
              attempt(() => sort(input))
              return 'Writes'
            },
            preview: (input: { tags: string[] }) => {
              attempt(() => sort(input))
              return undefined
            },
          },
        },
        shouldPauseToolCall: ({ input }) => {
          attempt(() => sort(input as { tags: string[] }))
          return false
        },
        onToolCallStart: ({ input }) => attempt(() => sort(input as { tags: string[] })),
      },
    )
    await made.engine.sendMessage('go')
    await made.resume({ toolCallId: '1' })
    await made.completed()
    expect(ran).toEqual([{ tags: ['b', 'a'] }])
    expect(made.calls()).toMatchObject([{ input: { tags: ['b', 'a'] }, output: 'written' }])
  })

  it('leaves the tool what its schema makes of the input: dates, defaults and transforms', async () => {
    const ran: unknown[] = []
    const made = createToolEngine(
      [callTools({ ...write, input: { at: '2026-01-02T00:00:00.000Z' } }), answer('ok')],
      {
        tools: {
          write: {
            inputSchema: z.object({ at: z.coerce.date(), size: z.number().default(3) }),
            execute: (input: unknown) => void ran.push(input),
          },
        },
        toolApproval: { write: 'user-approval' },
      },
    )
    await made.engine.sendMessage('go')
    await made.resume({ toolCallId: '1' })
    await made.completed()
    expect(ran).toEqual([{ at: new Date('2026-01-02'), size: 3 }])
  })

  it('is asked about again when the schema reads it differently than it was shown', async () => {
    let unit = 'EUR'
    const ran: unknown[] = []
    const made = createToolEngine([callTools({ ...write, input: { amount: 5 } }), answer('ok')], {
      tools: {
        write: {
          inputSchema: z
            .object({ amount: z.number() })
            .transform(({ amount }) => ({ amount, unit })),
          execute: (input: unknown) => void ran.push(input),
        },
      },
      toolApproval: { write: 'user-approval' },
    })
    await made.engine.sendMessage('go')
    unit = 'USD'
    await made.resume({ toolCallId: '1' })
    await untilState(made.engine, ({ requestState }) => requestState === 'paused')
    expect(ran).toEqual([])
    await made.resume({ toolCallId: '1' })
    await made.completed()
    expect(ran).toEqual([{ amount: 5, unit: 'USD' }])
  })
})

describe('a decision while another one is being validated', () => {
  it('denies the call at once when the validation of an edit hangs', async () => {
    const { schema, hold } = heldSchema()
    const execute = vi.fn(() => 'written')
    const made = createToolEngine([callTools(write), answer('ok')], {
      tools: { write: { inputSchema: schema, execute } },
      toolApproval: { write: 'user-approval' },
    })
    await made.engine.sendMessage('go')
    const validating = hold()
    void made.resume({ toolCallId: '1', input: { path: 'b' } })
    await validating
    expect(await made.resume({ toolCallId: '1', outcome: 'no' })).toMatchObject({ success: true })
    await made.completed()
    expect(execute).not.toHaveBeenCalled()
    expect(made.calls()).toMatchObject([{ state: 'output-denied', input: { path: 'a' } }])
  })
})

describe('a hostile object that is thrown', () => {
  const hostile = () =>
    new Proxy(new Error('x'), {
      get: () => {
        throw hostile()
      },
      getPrototypeOf: () => {
        throw new Error('no prototype')
      },
    })

  it.each(['tool', 'rule', 'schema', 'summary'] as const)(
    'by a %s ends the call, not the turn',
    async (by) => {
      const fail = (): never => {
        throw hostile()
      }
      const made = createToolEngine([callTools(write), answer('ok')], {
        tools: {
          write: {
            inputSchema:
              by === 'schema'
                ? { ...asSchema(z.object({})), validate: fail }
                : z.object({ path: z.string() }),
            execute: () => (by === 'tool' ? fail() : 'written'),
          },
        },
        ...(by === 'rule' && { toolApproval: { write: fail } }),
        ...(by === 'summary' && { toolOptions: { write: { summary: fail } } }),
      })
      await made.engine.sendMessage('go')
      if (by === 'rule') await made.resume({ toolCallId: '1', outcome: 'no' })
      await made.completed()
      expect(made.calls()[0]?.state).toBe(
        by === 'rule' ? 'output-denied' : by === 'summary' ? 'output-available' : 'output-error',
      )
    },
  )
})

/** In development the copies are frozen, so that a mutation is found. */
function attempt(mutate: () => void): void {
  try {
    mutate()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
  }
}
