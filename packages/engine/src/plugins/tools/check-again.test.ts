import type { ToolApprovalStatus } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { answer, callTools, untilState } from '../../testing/index.ts'

const write = { toolCallId: '1', toolName: 'write', input: {} }

/** A call that waits for a person under a policy that can change meanwhile. */
async function asked(more: { reload?: boolean } = {}) {
  const runs: string[] = []
  let policy = (): ToolApprovalStatus => 'user-approval'
  const tools = {
    tools: { write: { inputSchema: z.object({}), execute: () => void runs.push('written') } },
    toolApproval: { write: async () => policy() },
  }
  const first = createToolEngine([callTools(write), answer('ok')], tools)
  await first.engine.sendMessage('go')
  const { messages } = first.engine.getState()
  const made = more.reload ? createToolEngine([answer('ok')], tools, { messages }) : first
  return { ...made, runs, setPolicy: (next: typeof policy) => void (policy = next) }
}

describe('the rules, asked again after a yes', () => {
  it.each([{ reload: false }, { reload: true }])(
    'let the call run while they ask: %j',
    async (more) => {
      const { resume, completed, runs, calls } = await asked(more)
      await resume({ toolCallId: '1' })
      await completed()
      expect(runs).toEqual(['written'])
      expect(calls()).toMatchObject([{ toolMetadata: { assent: { decidedBy: 'person' } } }])
    },
  )

  it.each([{ reload: false }, { reload: true }])(
    'deny it when they have changed, and the model is told by whom: %j',
    async (more) => {
      const { resume, completed, runs, calls, transport, setPolicy, engine } = await asked(more)
      const asking = calls()[0]?.approval?.id
      setPolicy(() => 'denied')
      expect(await resume({ toolCallId: '1', reason: 'go ahead' })).toMatchObject({ success: true })
      await completed()
      expect(runs).toEqual([])
      expect(calls()).toEqual([
        expect.objectContaining({
          state: 'output-denied',
          // The words of the person were for a yes, not for this.
          approval: { id: asking, approved: false, isAutomatic: true },
        }),
      ])
      expect(calls()).toMatchObject([{ toolMetadata: { assent: { decidedBy: 'rule' } } }])
      expect(JSON.stringify(transport.requests.at(-1)?.messages)).toContain('output-denied')
      expect(engine.getState().confirmations).toMatchObject([{ outcome: 'yes' }])
    },
  )

  it('ask the person again when they throw, and say why', async () => {
    const { engine, resume, completed, runs, calls, setPolicy } = await asked()
    setPolicy(() => {
      throw new Error('policy down')
    })
    await resume({ toolCallId: '1' })
    await untilState(engine, ({ requestState }) => requestState === 'paused')
    expect(runs).toEqual([])
    expect(calls()).toMatchObject([
      {
        state: 'approval-requested',
        approval: { requestReason: expect.stringContaining('policy down') },
      },
    ])
    setPolicy(() => 'user-approval')
    await resume({ toolCallId: '1' })
    await completed()
    expect(runs).toEqual(['written'])
    expect(engine.getState().confirmations).toHaveLength(2)
  })

  it('are not asked after a no', async () => {
    const { resume, completed, runs, calls, setPolicy } = await asked()
    setPolicy(() => {
      throw new Error('must not be asked')
    })
    await resume({ toolCallId: '1', outcome: 'no', reason: 'wrong file' })
    await completed()
    expect(runs).toEqual([])
    expect(calls()).toMatchObject([
      { state: 'output-denied', approval: { approved: false, reason: 'wrong file' } },
    ])
  })

  it('are asked once per call when nobody has to decide', async () => {
    let checks = 0
    const { engine } = createToolEngine([callTools(write), answer('ok')], {
      tools: { write: { inputSchema: z.object({}), execute: () => 'written' } },
      toolApproval: () => {
        checks++
        return 'approved'
      },
    })
    await engine.sendMessage('go')
    expect(checks).toBe(1)
  })

  it('start nothing when the turn is aborted while they think', async () => {
    const { engine, resume, runs, calls, setPolicy } = await asked()
    const thinking = Promise.withResolvers<void>()
    setPolicy(() => {
      thinking.resolve()
      void engine.abort()
      return 'user-approval'
    })
    await resume({ toolCallId: '1' })
    await thinking.promise
    await untilState(engine, ({ requestState }) => requestState === 'aborted')
    await Promise.resolve()
    expect(runs).toEqual([])
    expect(calls()).toMatchObject([{ state: 'output-error' }])
  })
})
