import { jsonSchema, tool, type ToolApprovalConfiguration } from 'ai'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { EngineError } from '../errors.ts'
import { strictApproval, type StrictApprovalOptions } from './strict-approval.ts'

const inputSchema = jsonSchema<{ to: string }>({ type: 'object' })
const tools = {
  send: tool({ inputSchema, execute: () => 'sent' }),
  look: tool({ inputSchema, execute: () => 'seen' }),
  pick: tool({ inputSchema }),
}
type Tools = typeof tools

/** What the AI SDK is told about a call. */
function asked(
  toolName: keyof Tools,
  rules?: ToolApprovalConfiguration<Tools, unknown>,
  options?: StrictApprovalOptions,
) {
  return strictApproval<Tools>(
    rules,
    options,
  )({
    toolCall: { toolCallId: '1', toolName, input: { to: 'ada' } },
    tools,
    toolsContext: {},
    runtimeContext: undefined,
    messages: [],
  })
}

describe('strictApproval', () => {
  it('is a toolApproval of the AI SDK, whose rules are typed by the tools', () => {
    expectTypeOf(strictApproval<Tools>()).toExtend<ToolApprovalConfiguration<Tools, unknown>>()
    strictApproval<Tools>({ send: ({ to }) => (to === 'ada' ? 'approved' : 'user-approval') })
    // @ts-expect-error there is no such tool
    strictApproval<Tools>({ sned: 'denied' })
    // @ts-expect-error there is no such verdict
    strictApproval<Tools>({ send: 'user_approval' })
  })

  it('asks where no rule says anything, which the AI SDK runs', async () => {
    expect(await asked('send')).toBe('user-approval')
    expect(await asked('look', { send: 'approved' })).toBe('user-approval')
    expect(await asked('send', {}, { defaultApproval: 'approved' })).toBe('not-applicable')
    expect(await asked('send', {}, { defaultApproval: 'denied' })).toBe('denied')
  })

  it('leaves what the page runs to the page', async () => {
    expect(await asked('pick')).toBe('not-applicable')
    expect(await asked('pick', { pick: 'denied' })).toBe('denied')
  })

  it('says what rules say', async () => {
    expect(await asked('send', { send: 'approved' })).toBe('approved')
    const rule = () => ({ type: 'denied' as const, reason: 'read only' })
    expect(await asked('send', rule)).toEqual({ type: 'denied', reason: 'read only' })
  })

  it('tells the server, and not the page, what a rule threw', async () => {
    const errors: EngineError[] = []
    const rule = () => {
      throw new Error('policy at 10.0.0.1 is down')
    }
    expect(await asked('send', rule, { onError: (error) => errors.push(error) })).toEqual({
      type: 'user-approval',
      reason: 'The check of this call failed.',
    })
    expect(errors).toMatchObject([{ code: 'rule_failed' }])
  })
})
