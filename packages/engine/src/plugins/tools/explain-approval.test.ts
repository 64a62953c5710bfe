import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { ToolCallConfirmation } from '../../confirmation.ts'
import { explainApproval, type ExplainApprovalOptions } from './explain-approval.ts'
import { fingerprintOf } from './fingerprint.ts'
import type { ToolCallContext } from './options.ts'
import { loadToolSchemas } from './input-schema.ts'

const execute = vi.fn(() => 'sent')
const send = { inputSchema: z.object({ to: z.string(), copies: z.number().default(1) }), execute }
const input = { to: 'ada' }

const explain = (options: Partial<ExplainApprovalOptions>) =>
  explainApproval({ tools: { send }, toolName: 'send', input, ...options })

/** A person's "always" on a call of `send`. */
function always(given: Partial<ToolCallConfirmation> = {}): ToolCallConfirmation {
  return {
    id: 'p1',
    conversationId: 'chat',
    messageId: 'm',
    step: 1,
    toolCallId: 'c',
    toolName: 'send',
    fingerprint: fingerprintOf('send', input),
    outcome: 'yes_always',
    at: 0,
    ...given,
  }
}

describe('explainApproval', () => {
  it.each<[Partial<ExplainApprovalOptions>, string, string, string, string]>([
    [
      {},
      'ask',
      'default',
      'defaultApproval',
      'No rule says anything, and defaultApproval (user-approval) asks a person.',
    ],
    [
      { toolApproval: { send: { type: 'denied', reason: 'read only' } } },
      'deny',
      'rule',
      'toolApproval.send',
      'toolApproval.send denies it: read only',
    ],
    [
      { toolApproval: () => 'approved' },
      'run',
      'rule',
      'toolApproval',
      'toolApproval lets it run.',
    ],
    [
      { tools: { send: { ...send, needsApproval: true } } },
      'ask',
      'tool',
      'tools.send.needsApproval',
      'tools.send.needsApproval asks a person.',
    ],
    [
      { toolOptions: { send: { risk: 'read' } } },
      'run',
      'risk',
      'toolOptions.send.risk',
      'toolOptions.send.risk lets it run.',
    ],
    [
      { tools: { send: { inputSchema: send.inputSchema } } },
      'run',
      'elsewhere',
      'tools.send',
      'It is not executed here, so nothing asks.',
    ],
    [
      { toolApproval: () => 'ask' as never },
      'ask',
      'rule',
      'toolApproval',
      'A person is asked: toolApproval answered "ask" about "send", which is no verdict. Answer "approved", "user-approval", "denied" or nothing.',
    ],
  ])('names what decides: %o', async (options, type, by, rule, why) => {
    expect(await explain(options)).toEqual({ type, by, rule, why })
  })

  it('gives rules what the schema makes of the input, and runs nothing', async () => {
    const rule = vi.fn(() => 'approved' as const)
    await explain({ toolApproval: { send: rule } })
    expect(rule).toHaveBeenCalledExactlyOnceWith({ to: 'ada', copies: 1 }, expect.anything())
    expect(execute).not.toHaveBeenCalled()
    expect(input).toEqual({ to: 'ada' })
  })

  it('says that a tool does not take an input', async () => {
    expect(await explain({ input: { to: 7 }, toolApproval: () => 'approved' })).toMatchObject({
      type: 'deny',
      by: 'input',
      rule: 'tools.send.inputSchema',
      why: expect.stringContaining('does not take this input: to: '),
    })
  })

  it('names the standing permission that lets a call run, which a deny is stronger than', async () => {
    // As the plugin notes it, so that a tool that changed is asked about again.
    const schema = (await loadToolSchemas({ tools: { send } })).get('send')
    const scope = { until: 1_000, covers: 'input' } as const
    const confirmations = [always({ scope, ...(schema && { schema }) })]
    const given = { confirmations, conversationId: 'chat', now: 500 }
    expect(await explain(given)).toMatchObject({
      type: 'run',
      by: 'policy',
      rule: 'p1',
      why: 'The standing permission p1 lets it run. Without it: No rule says anything, and defaultApproval (user-approval) asks a person.',
      policy: { id: 'p1', status: 'standing' },
    })
    expect(await explain({ ...given, now: 2_000 })).toMatchObject({ type: 'ask' })
    expect(await explain({ ...given, input: { to: 'eve' } })).toMatchObject({ type: 'ask' })
    expect(await explain({ ...given, conversationId: 'other' })).toMatchObject({ type: 'ask' })
    expect(await explain({ ...given, toolApproval: { send: 'denied' } })).toMatchObject({
      type: 'deny',
    })
    const failing = () => {
      throw new Error('policy down')
    }
    expect(await explain({ ...given, toolApproval: failing })).toMatchObject({ type: 'ask' })
  })

  it('tells of a call that came too often, which no permission lets run', async () => {
    const schema = (await loadToolSchemas({ tools: { send } })).get('send')
    const confirmations = [always({ scope: {}, ...(schema && { schema }) })]
    const often = (repeats: number, more = {}) => explain({ confirmations, repeats, ...more })
    expect(await often(4)).toMatchObject({ type: 'run', by: 'policy' })
    expect(await often(5)).toMatchObject({ type: 'ask', by: 'repeats', rule: 'repeatLimits' })
    expect(await often(8)).toMatchObject({ type: 'deny', by: 'repeats' })
    expect(await often(8, { repeatLimits: false })).toMatchObject({ type: 'run' })
    expect(await often(5, { toolApproval: { send: 'denied' } })).toMatchObject({
      type: 'deny',
      by: 'rule',
    })
  })

  it('rejects for rules that are mistakes', async () => {
    await expect(explain({ toolApproval: { sned: 'denied' } })).rejects.toMatchObject({
      code: 'unknown_tool',
    })
    const shouldPauseToolCall = () => true
    await expect(explain({ shouldPauseToolCall })).rejects.toMatchObject({
      code: 'invalid_argument',
    })
    const context = {} as ToolCallContext
    expect(await explain({ shouldPauseToolCall, context })).toMatchObject({ by: 'pause' })
  })
})
