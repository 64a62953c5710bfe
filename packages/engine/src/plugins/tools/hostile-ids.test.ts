import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { decisionsIn, pausedIn, saved, waitingIds } from '../../../test/guarded-tools.ts'
import { createToolEngine } from '../../../test/tool-engine.ts'
import {
  answer,
  approvalRequestChunks,
  callTools,
  responseChunks,
  stepChunks,
  toolCallChunks,
  toolOutputChunks,
} from '../../testing/index.ts'
import { deriveApprovalPolicies } from './policies.ts'

/** Names that every object answers to, and texts that are keys of something else elsewhere. */
const IDS = [
  '__proto__',
  'constructor',
  'toString',
  '',
  ' ',
  '["a",1,"1"]',
  '\u0000',
  '💥'.repeat(500),
]

const own = <VALUE>(name: string, value: VALUE) => Object.fromEntries([[name, value]])

function guardedTool(name: string) {
  const runs: string[] = []
  const execute = (_input: unknown, { toolCallId }: { toolCallId: string }) => {
    runs.push(toolCallId)
    return `ran ${toolCallId}`
  }
  const tools = own(name, { inputSchema: z.looseObject({}), execute })
  return { runs, options: { tools, toolApproval: own(name, 'user-approval' as const) } }
}

describe('calls and tools of hostile ids', () => {
  it.each(IDS)('are decided each by itself, in a batch and after a reload: %j', async (id) => {
    const { runs, options } = guardedTool(id)
    const calls = [id, `${id}.`, 'plain'].map((toolCallId) => ({
      toolCallId,
      toolName: id,
      input: own('__proto__', { polluted: true }),
    }))
    const first = createToolEngine([callTools(calls)], options)
    await first.engine.sendMessage('go')
    expect(waitingIds(first.engine)).toEqual([id, `${id}.`, 'plain'])
    const { messages } = saved(first.engine.getState())
    const { engine, completed } = createToolEngine([answer('ok')], options, { messages })
    expect(waitingIds(engine)).toEqual([id, `${id}.`, 'plain'])
    const result = await engine.runPluginCommand('tool', 'resumeToolCalls', [
      { toolCallId: 'plain', outcome: 'no' },
      { toolCallId: id },
      { toolCallId: `${id}.`, outcome: 'no' },
    ])
    expect(result).toMatchObject({ success: true })
    await completed()
    expect(runs).toEqual([id])
    expect(decisionsIn(engine.getState().confirmations)).toEqual([
      'plain: no',
      `${id}: yes`,
      `${id}.: no`,
    ])
    expect({}).not.toHaveProperty('polluted')
  })

  it.each(IDS)('have policies of their own, which nothing else falls under: %j', async (id) => {
    const { runs, options } = guardedTool(id)
    const call = (toolCallId: string, toolName = id) => ({ toolCallId, toolName, input: {} })
    const other = guardedTool('other')
    const { engine, resume, completed } = createToolEngine(
      [callTools(call('1')), callTools([call('2'), call('3', 'other')]), answer('ok')],
      {
        tools: { ...options.tools, ...other.options.tools },
        toolApproval: { ...options.toolApproval, ...other.options.toolApproval },
      },
      // A policy is named by the confirmation that made it.
      { generateId: ids(id) },
    )
    await engine.sendMessage('go')
    await resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } })
    await pausedIn(engine, 2)
    expect(waitingIds(engine)).toEqual(['3'])
    const { confirmations } = engine.getState()
    const [policy] = deriveApprovalPolicies(confirmations, { now: 0 })
    expect(policy).toMatchObject({ toolName: id, uses: 1 })
    const policyId = policy?.id ?? 'none'
    expect(await engine.runPluginCommand('tool', 'revokePolicy', { policyId })).toMatchObject({
      result: { policyId, asked: [{ toolCallId: '2' }] },
    })
    for (const toolCallId of ['2', '3']) await resume({ toolCallId, outcome: 'no' })
    await completed()
    expect(runs).toEqual(['1'])
    expect(other.runs).toEqual([])
  })

  it.each(IDS)('are kept apart when a server asks under them: %j', async (id) => {
    const guarded = (toolCallId: string, approvalId: string) => [
      ...toolCallChunks({ toolCallId, toolName: 'deploy', input: {} }),
      ...approvalRequestChunks({ toolCallId, approvalId, signature: `signed ${toolCallId}` }),
    ]
    const { engine, resume, completed, sentCalls } = createToolEngine([
      responseChunks(
        { messageId: 'a', finishReason: 'tool-calls' },
        stepChunks(guarded(id, `${id}!`), guarded('plain', id)),
      ),
      [
        { type: 'start', messageId: 'a' },
        ...toolOutputChunks(id, 'deployed'),
        ...answer('ok').slice(1),
      ],
    ])
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'paused' })
    await resume({ toolCallId: 'plain', outcome: 'no', reason: 'not this' })
    await resume({ toolCallId: id })
    await completed()
    expect(sentCalls(2).map(({ approval }) => approval)).toEqual([
      { id: `${id}!`, approved: true, signature: `signed ${id}` },
      { id, approved: false, reason: 'not this', signature: 'signed plain' },
    ])
  })
})

/** Ids that begin with a text, each another one. */
function ids(text: string): () => string {
  let count = 0
  return () => `${text}${++count}`
}
