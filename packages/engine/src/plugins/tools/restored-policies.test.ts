import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../../../test/tool-engine.ts'
import type { MessageEngineOptions } from '../../message-engine.ts'
import { defineStorage } from '../../storage/define-storage.ts'
import {
  memoryStorage,
  type MemoryStorage,
  type StorageContent,
} from '../../storage/memory-storage.ts'
import {
  answer,
  approvalRequestChunks,
  callTools,
  responseChunks,
  stepChunks,
  toolCallChunks,
} from '../../testing/index.ts'
import type { ToolPluginOptions } from './options.ts'

const write = (toolCallId: string) => ({ toolCallId, toolName: 'write', input: { path: 'a.txt' } })

function open(
  script: Parameters<typeof createToolEngine>[0],
  more: Partial<MessageEngineOptions>,
  tools: Partial<ToolPluginOptions> = {},
) {
  const effects: string[] = []
  const seen: string[] = []
  const made = createToolEngine(
    script,
    {
      tools: {
        write: {
          inputSchema: z.object({ path: z.string() }),
          execute: ({ path }: { path: string }) => effects.push(path),
        },
        other: { inputSchema: z.object({}), execute: () => effects.push('other') },
      },
      toolApproval: { write: 'user-approval', other: 'user-approval' },
      ...tools,
    },
    {
      plugins: [
        {
          onTurnPause: () => void seen.push('pause'),
          onTurnResume: () => void seen.push('resume'),
        },
      ],
      ...more,
    },
  )
  return { ...made, effects, seen }
}

/** A conversation that waits, and another one in which its tool is allowed everywhere after that. */
async function waitingAndAllowed(disk: MemoryStorage, toolName = 'write'): Promise<void> {
  const storage = defineStorage(disk)
  const waiting = open([callTools([write('1')])], { id: 'waiting', storage })
  await waiting.engine.sendMessage('go')
  waiting.engine.dispose()
  const call = { ...write('1'), toolName, input: toolName === 'write' ? { path: 'b' } : {} }
  const other = open([callTools([call]), answer('done')], { id: 'other', storage })
  await other.engine.sendMessage('go')
  await other.resume({
    toolCallId: '1',
    outcome: 'yes_always',
    scope: { covers: 'tool', where: 'everywhere' },
  })
  await other.completed()
  other.engine.dispose()
}

describe('a call that waited when its conversation was left', () => {
  it('runs once without being asked about, when it is allowed everywhere by now', async () => {
    const disk = memoryStorage()
    await waitingAndAllowed(disk)
    const storage = defineStorage(disk)
    const { engine, effects, completed, seen, calls } = open([answer('done')], {
      id: 'waiting',
      storage,
    })
    await completed()
    expect(effects).toEqual(['a.txt'])
    expect(seen).toEqual(['resume'])
    expect(calls()).toMatchObject([
      { state: 'output-available', toolMetadata: { assent: { decidedBy: 'policy' } } },
    ])
    expect(engine.getState().confirmations).toContainEqual(
      expect.objectContaining({ event: 'used', conversationId: 'waiting' }),
    )
  })

  it("waits again with onRestore: 'ask'", async () => {
    const disk = memoryStorage()
    await waitingAndAllowed(disk)
    const storage = defineStorage(disk)
    const { engine, effects, seen } = open([], { id: 'waiting', storage }, { onRestore: 'ask' })
    await engine.ready
    expect(engine.getState().requestState).toBe('paused')
    expect([effects, seen]).toEqual([[], []])
  })

  it('waits again, untouched, when what is allowed is another tool', async () => {
    const disk = memoryStorage()
    await waitingAndAllowed(disk, 'other')
    const storage = defineStorage(disk)
    const { engine, effects, seen } = open([], { id: 'waiting', storage })
    await engine.ready
    expect(engine.getState().requestState).toBe('paused')
    expect([effects, seen]).toEqual([[], []])
  })

  it('is settled likewise when messages and confirmations are handed in', async () => {
    const disk = memoryStorage()
    await waitingAndAllowed(disk)
    const stored = open([], { id: 'waiting', storage: defineStorage(disk) }, { onRestore: 'ask' })
    await stored.engine.ready
    const { messages, confirmations } = stored.engine.getState()
    const { effects, completed } = open([answer('done')], { messages, confirmations })
    await completed()
    expect(effects).toEqual(['a.txt'])
  })
})

describe('a call of the server that a permission has approved', () => {
  it('is not asked about again when the page ended in the moment in which that was sent', async () => {
    const ask = (toolCallId: string) => [
      ...toolCallChunks({ toolCallId, toolName: 'deploy', input: { path: 'a.txt' } }),
      ...approvalRequestChunks({ toolCallId }),
    ]
    const asking = responseChunks(
      { finishReason: 'tool-calls' },
      stepChunks(...['1', '2'].map(ask)),
    )
    const disk = memoryStorage()
    const sent = Promise.withResolvers<StorageContent>()
    const never = new Promise<never>(() => undefined)
    const lost = () => {
      sent.resolve(disk.snapshot())
      return never
    }
    const first = open([asking, lost], { id: 'chat', storage: defineStorage(disk) })
    await first.engine.sendMessage('go')
    await first.resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } })
    const left = await sent.promise
    first.engine.dispose()

    const { engine, calls } = open([], { id: 'chat', storage: defineStorage(memoryStorage(left)) })
    await engine.ready
    const [{ id: policyId = '' } = {}] = engine.getState().confirmations
    const revoked = await engine.runPluginCommand('tool', 'revokePolicy', { policyId })
    expect(revoked).toMatchObject({ success: true, result: { asked: [] } })
    expect(calls().map(({ state }) => state)).toEqual(['approval-responded', 'approval-responded'])
    engine.dispose()
  })
})
