import type { UIMessage } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../test/tool-engine.ts'
import { textOf } from './message/message-input.ts'
import type { ToolPluginOptions } from './plugins/tools/options.ts'
import { defineStorage } from './storage/define-storage.ts'
import { memoryStorage, type MemoryStorage } from './storage/memory-storage.ts'
import { answer, callTools, untilState } from './testing/index.ts'

const write = (toolCallId: string, path = 'a.txt') => ({
  toolCallId,
  toolName: 'write',
  input: { path },
})

/** A disk, the engines that have it open at once, and what their tool did. */
function world(more: Partial<ToolPluginOptions> = {}) {
  const disk: MemoryStorage = memoryStorage()
  const effects: string[] = []
  const options: ToolPluginOptions = {
    tools: {
      write: {
        inputSchema: z.object({ path: z.string() }),
        execute: ({ path }: { path: string }) => {
          effects.push(path)
          return `wrote ${path}`
        },
      },
    },
    toolApproval: { write: 'user-approval' },
    ...more,
  }
  const open = async (...script: NonNullable<Parameters<typeof createToolEngine>[0]>) => {
    const made = createToolEngine(script, options, { id: 'chat', storage: defineStorage(disk) })
    await made.engine.ready
    const told = () => made.errors.map(({ code }) => code)
    return { ...made, told }
  }
  return { disk, effects, open }
}

const said = (messages: readonly UIMessage[]) => messages.map(textOf)

/** Two engines that show the same call, which waits. */
async function bothAsked(more: Partial<ToolPluginOptions> = {}) {
  const { effects, open, disk } = world(more)
  const first = await open(callTools(write('1')), answer('Done.'))
  await first.engine.sendMessage('go')
  const second = await open(answer('Done.'))
  expect(second.engine.getState().requestState).toBe('paused')
  return { effects, first, second, open, disk }
}

describe('of two engines that have one conversation open', () => {
  it('one runs a call to which both say yes, and the other shows what became of it', async () => {
    const { effects, first, second } = await bothAsked()
    const [one, other] = await Promise.all([
      first.resume({ toolCallId: '1' }),
      second.resume({ toolCallId: '1' }),
    ])
    expect([one, other].filter(({ success }) => success)).toHaveLength(1)
    const [winner, loser] = one.success ? [first, second] : [second, first]
    expect(one.success ? other : one).toMatchObject({ error: { code: 'taken_over' } })
    await untilState(winner.engine, ({ requestState }) => requestState === 'completed')
    expect(effects).toEqual(['a.txt'])
    expect(loser.engine.getState()).toMatchObject({
      requestState: 'error',
      error: { code: 'taken_over' },
    })
  })

  it.each<[string, 'no' | 'output', string]>([
    ['a no', 'no', 'output-denied'],
    ['an answer given by hand', 'output', 'output-available'],
  ])('%s of one holds for the other, which finds it', async (_what, by, state) => {
    const { effects, first, second, open } = await bothAsked()
    const { runPluginCommand } = second.engine
    const said = {
      no: () => second.resume({ toolCallId: '1', outcome: 'no' }),
      output: () =>
        runPluginCommand('tool', 'submitToolOutput', { toolCallId: '1', output: 'mine' }),
    }
    expect(await said[by]()).toMatchObject({ success: true })
    expect(await first.resume({ toolCallId: '1' })).toMatchObject({
      success: false,
      error: { code: 'taken_over' },
    })
    expect(effects).toEqual([])
    expect(first.calls()).toMatchObject([{ state }])
    const later = await open()
    expect(later.calls()).toMatchObject([{ state }])
  })

  it('a permission that one takes back lets nothing run in the other', async () => {
    const { disk, effects, open } = world()
    const first = await open(callTools(write('1')), answer('Done.'), callTools(write('2')))
    await first.engine.sendMessage('go')
    await first.resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } })
    const stored = () => disk.snapshot().get('conversation/chat')?.get('turn')
    await vi.waitFor(() => expect(stored()).toMatchObject({ requestState: 'completed' }))
    const second = await open()
    const [{ id = '' } = {}] = second.engine.getState().confirmations
    const revoked = second.engine.runPluginCommand('tool', 'revokePolicy', { policyId: id })
    expect(await revoked).toMatchObject({ success: true })
    await first.engine.sendMessage('again')
    expect(effects).toEqual(['a.txt'])
    expect(first.told()).toEqual(['taken_over'])
  })

  it('a no that comes where the other only wrote finds the same card, and can be given', async () => {
    const { effects, first, second, disk } = await bothAsked()
    void second.engine.sendMessage('and then')
    const stored = () => disk.snapshot().get('conversation/chat')?.get('queue')
    await vi.waitFor(() => expect(stored()).toHaveLength(1))
    expect(await first.resume({ toolCallId: '1', outcome: 'no' })).toMatchObject({
      error: { code: 'taken_over' },
    })
    const { requestState, queue } = first.engine.getState()
    expect([requestState, queue.map(({ message }) => textOf(message))]).toEqual([
      'paused',
      ['and then'],
    ])
    expect(first.calls()).toMatchObject([{ state: 'approval-requested' }])
    expect(await first.resume({ toolCallId: '1', outcome: 'no' })).toMatchObject({ success: true })
    expect(effects).toEqual([])
    expect(first.calls()).toMatchObject([{ state: 'output-denied' }])
  })

  it('who stops everything stops what the other has allowed and does, also unheard of', async () => {
    const { effects, open } = world()
    const second = await open()
    const first = await open(callTools(write('1')), answer('Done.'), callTools(write('2')))
    await first.engine.sendMessage('go')
    await first.resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } })
    await untilState(first.engine, ({ requestState }) => requestState === 'completed')
    await second.engine.stopAll()
    expect(second.told()).toEqual(['taken_over'])
    await first.engine.sendMessage('again')
    expect(effects).toEqual(['a.txt'])
    const later = await open(callTools(write('3')))
    await later.engine.sendMessage('and again')
    expect(later.engine.getState().requestState).toBe('paused')
    expect(effects).toEqual(['a.txt'])
  })

  it('what one stopped stays stopped in the other', async () => {
    const { effects, first, second } = await bothAsked()
    await second.engine.stopAll()
    expect(await first.resume({ toolCallId: '1' })).toMatchObject({ success: false })
    expect(effects).toEqual([])
    expect(first.calls()).toMatchObject([{ state: 'output-error' }])
  })

  it('a no that comes late takes nothing back of what ran', async () => {
    const { effects, first, second, open } = await bothAsked()
    await first.resume({ toolCallId: '1' })
    await untilState(first.engine, ({ requestState }) => requestState === 'completed')
    expect(await second.resume({ toolCallId: '1', outcome: 'no' })).toMatchObject({
      error: { code: 'taken_over' },
    })
    expect(effects).toEqual(['a.txt'])
    expect(second.calls()).toMatchObject([{ state: 'output-available' }])
    expect((await open()).calls()).toMatchObject([{ state: 'output-available' }])
  })

  it.each(['verify', 'retry'] as const)(
    'a call that one runs is not taken for a crash by the other (%s)',
    async (onInterrupted) => {
      const started = Promise.withResolvers<void>()
      const goOn = Promise.withResolvers<void>()
      const ran: string[] = []
      const { open } = world({
        tools: {
          write: {
            inputSchema: z.object({ path: z.string() }),
            execute: async ({ path }: { path: string }) => {
              ran.push(path)
              started.resolve()
              await goOn.promise
              return `wrote ${path}`
            },
          },
        },
        onInterrupted,
        toolOptions: { write: { idempotent: true, verify: () => ({ happened: false }) } },
      })
      const first = await open(callTools(write('1')), answer('Done.'))
      await first.engine.sendMessage('go')
      void first.resume({ toolCallId: '1' })
      await started.promise
      const second = await open(answer('Done.'))
      expect(second.told()).toEqual(['taken_over'])
      expect(second.calls()).toMatchObject([{ state: 'approval-responded' }])
      // Not over what is being done.
      await second.engine.sendMessage('meanwhile')
      const { queue } = second.engine.getState()
      expect(queue.map(({ message, held }) => [textOf(message), held])).toEqual([
        ['meanwhile', true],
      ])
      second.engine.dispose()
      goOn.resolve()
      await untilState(first.engine, ({ requestState }) => requestState === 'completed')
      expect(ran).toEqual(['a.txt'])
      expect(first.calls()).toMatchObject([{ state: 'output-available' }])
      first.engine.dispose()
      const later = await open()
      expect(later.engine.getState().queue.map(({ message }) => textOf(message))).toEqual([
        'meanwhile',
      ])
    },
  )

  it('who only looks on does not end the turn of the other', async () => {
    const { effects, first, second } = await bothAsked()
    second.engine.dispose()
    expect(await first.resume({ toolCallId: '1' })).toMatchObject({ success: true })
    await untilState(first.engine, ({ requestState }) => requestState === 'completed')
    expect(effects).toEqual(['a.txt'])
  })

  it('what a person sent where the conversation was older is kept, and can be sent', async () => {
    const { open } = world()
    const first = await open(answer('one'), answer('three'))
    const second = await open(answer('two'))
    await second.engine.sendMessage('b')
    await first.engine.sendMessage('a')
    const { messages, queue, error } = first.engine.getState()
    expect(error?.code).toBe('taken_over')
    expect(said(messages)).toEqual(['b', 'two'])
    expect(queue.map(({ message, held }) => [textOf(message), held])).toEqual([['a', true]])
    first.engine.dispose()
    const again = await open(answer('one'))
    expect(again.engine.getState().queue).toEqual(queue)
    again.engine.sendQueued(queue[0]?.id ?? '')
    await untilState(again.engine, ({ requestState }) => requestState === 'completed')
    again.engine.dispose()
    const last = await open()
    expect(last.engine.getState().queue).toEqual([])
    expect(said(last.engine.getState().messages)).toEqual(['b', 'two', 'a', 'one'])
  })

  it('a conversation that one deletes is not written again by the other', async () => {
    const { disk, open } = world()
    const first = await open(answer('one'), answer('two'))
    await first.engine.sendMessage('a')
    await disk.removeAll('')
    await first.engine.sendMessage('b')
    expect(first.told()).toEqual(['taken_over'])
    expect(first.engine.getState().messages).toEqual([])
    expect(disk.snapshot().size).toBe(0)
  })
})
