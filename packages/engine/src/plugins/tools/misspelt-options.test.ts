import { describe, expect, it } from 'vitest'
import { guardedTools, callOf } from '../../../test/guarded-tools.ts'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { evaluateApproval } from '../../approval/evaluate-approval.ts'
import { answer, callTools } from '../../testing/index.ts'
import { toolPlugin } from './tool-plugin.ts'

/** What an app without types may say. */
const untyped = (value: unknown): never => value as never

describe('an option that is misspelt', () => {
  it.each(['Destroy', 'danger', true, null])('is refused as a risk: %j', (risk) => {
    const toolOptions = untyped({ write: { risk } })
    expect(() => toolPlugin({ knownTools: ['write'], toolOptions })).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    )
  })

  it.each([
    ['a text', 'denied'],
    ['true', true],
    ['null', null],
    ['an array', ['pay']],
    ['a map', new Map([['pay', 'denied']])],
    ['a promise', Promise.resolve({ pay: 'denied' })],
  ])('asks as rules that nobody can read: %s', async (_name, toolApproval) => {
    const call = { toolName: 'pay', toolCallId: '1', input: {} }
    const rules = { toolApproval, tools: {}, defaultApproval: 'approved' as const }
    expect(await evaluateApproval(call, untyped(rules))).toMatchObject({
      type: 'ask',
      failure: { code: 'unknown_verdict' },
    })
  })

  it.each([undefined, 'not-applicable'])(
    'is no rule that has no opinion (%s): what the tool needs counts then',
    async (verdict) => {
      const call = { toolName: 'pay', toolCallId: '1', input: {} }
      const rules = {
        toolApproval: () => verdict,
        tools: { pay: { inputSchema: {}, needsApproval: true } },
        defaultApproval: 'approved',
      }
      expect(await evaluateApproval(call, untyped(rules))).toMatchObject({
        type: 'ask',
        by: 'tool',
      })
    },
  )

  it('asks when a rule has no time that is a number', async () => {
    const call = { toolName: 'pay', toolCallId: '1', input: {} }
    const rules = { toolApproval: () => new Promise(() => undefined), timeoutMs: Number.NaN }
    expect(await evaluateApproval(call, untyped(rules))).toMatchObject({ type: 'ask' })
  })

  it.each([{ outcom: 'no' }, { approved: false }, { Fingerprint: 'x' }])(
    'is no yes in a decision: %j',
    async (misspelt) => {
      const { runs, options } = guardedTools()
      const { engine, calls } = createToolEngine([callTools(callOf('1')), answer('ok')], options)
      await engine.sendMessage('go')
      const payload = untyped({ toolCallId: '1', ...misspelt })
      expect(await engine.runPluginCommand('tool', 'resumeToolCall', payload)).toMatchObject({
        success: false,
        error: { code: 'invalid_argument' },
      })
      expect(runs).toEqual([])
      expect(calls()).toMatchObject([{ state: 'approval-requested' }])
    },
  )
})
