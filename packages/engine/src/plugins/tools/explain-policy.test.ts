import type { UIMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import type { AssentCallMetadata, ToolCallPart } from '../../message/tool-part.ts'
import { explainPolicy } from './explain-policy.ts'

type Part = UIMessage['parts'][number]

function call(id: string, input: unknown, given: object = {}, assent?: AssentCallMetadata): Part {
  const part = {
    type: 'tool-write',
    toolCallId: id,
    state: 'output-available',
    input,
    output: 'done',
    ...(assent && { toolMetadata: { assent } }),
    ...given,
  }
  return part as ToolCallPart
}

function history(...parts: Part[]): UIMessage[] {
  return [
    { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
    { id: 'm', role: 'assistant', parts: [{ type: 'step-start' }, ...parts] },
  ]
}

const DENIED = { state: 'output-denied', approval: { id: 'assent-1', approved: false } }
const SRC = { covers: { '/path': { prefix: 'src' } } }

describe('explainPolicy', () => {
  it('tells which past calls a scope would have covered, and which of them were denied', () => {
    const messages = history(
      call('1', { path: 'src/a' }),
      call('2', { path: 'etc' }),
      call('3', { path: 'src/b' }, DENIED),
      { type: 'step-start' },
      call('4', { path: 'src/c' }, { type: 'dynamic-tool', toolName: 'write' }),
      call('5', { path: 'src/d' }, { type: 'tool-read' }),
    )
    const denied = {
      messageId: 'm',
      step: 1,
      toolCallId: '3',
      toolName: 'write',
      input: { path: 'src/b' },
      status: 'denied',
    }
    expect(explainPolicy({ toolName: 'write', scope: SRC }, messages)).toEqual({
      total: 4,
      matched: [
        { ...denied, toolCallId: '1', input: { path: 'src/a' }, status: 'success' },
        denied,
        { ...denied, step: 2, toolCallId: '4', input: { path: 'src/c' }, status: 'success' },
      ],
      denied: [denied],
    })
  })

  it('does not count what waits, runs or streams', () => {
    const waiting: object[] = [
      { state: 'input-streaming' },
      { state: 'input-available' },
      { state: 'approval-requested', approval: { id: 'assent-1' } },
      { state: 'approval-requested', approval: { id: 'assent-1', isAutomatic: true } },
      { state: 'approval-responded', approval: { id: 'assent-1', approved: true } },
      { state: 'output-available', preliminary: true },
    ]
    const parts = waiting.map((given, index) => call(`${index}`, {}, given))
    const executing = call('e', {}, { state: 'input-available' }, { startedAt: 1 })
    expect(explainPolicy({ toolName: 'write', scope: {} }, history(...parts, executing))).toEqual({
      total: 0,
      matched: [],
      denied: [],
    })
  })

  it('counts calls that failed or were stopped, but as denied only those that were', () => {
    const ended = { state: 'output-error', errorText: 'x' }
    const messages = history(
      call('1', {}, ended),
      call('2', {}, ended, { ended: 'cancelled' }),
      call('3', {}, DENIED, { ended: 'interrupted' }),
      call('4', {}, { ...DENIED, state: 'approval-responded' }),
    )
    const { total, matched, denied } = explainPolicy({ toolName: 'write', scope: {} }, messages)
    expect(total).toBe(4)
    expect(matched.map(({ status }) => status)).toEqual([
      'error',
      'cancelled',
      'interrupted',
      'denied',
    ])
    expect(denied.map(({ toolCallId }) => toolCallId)).toEqual(['4'])
  })

  it('covers by exact input those that asked for the same, in any order of keys', () => {
    const messages = history(
      call('1', { a: 1, b: 2 }),
      call('2', { b: 2, a: 1 }),
      call('3', { a: 1 }),
    )
    const candidate = {
      toolName: 'write',
      scope: { covers: 'input' },
      input: { a: 1, b: 2 },
    } as const
    const { matched } = explainPolicy(candidate, messages)
    expect(matched.map(({ toolCallId }) => toolCallId)).toEqual(['1', '2'])
  })

  it('looks at what the model asked for, not at what a person made of it', () => {
    const messages = history(
      call('1', { path: 'src/a' }, {}, { originalInput: { path: 'etc' } }),
      call('2', { path: 'etc' }, {}, { originalInput: { path: 'src/a' } }),
      call('3', { path: 'src/a' }, {}, { originalInput: null }),
    )
    const { total, matched } = explainPolicy({ toolName: 'write', scope: SRC }, messages)
    expect(total).toBe(3)
    expect(matched).toMatchObject([{ toolCallId: '2', input: { path: 'src/a' } }])
  })

  it('covers calls of risk destroy by their exact input only', () => {
    const messages = history(call('1', { a: 1 }, {}, { risk: 'destroy' }))
    const matched = (covers: 'tool' | 'input') =>
      explainPolicy({ toolName: 'write', scope: { covers }, input: { a: 1 } }, messages).matched
    expect(matched('tool')).toEqual([])
    expect(matched('input')).toHaveLength(1)
  })

  it('does not look at place, time and uses', () => {
    const scope = { where: 'everywhere', until: 0, uses: 1 } as const
    const messages = history(call('1', {}), call('2', {}))
    expect(explainPolicy({ toolName: 'write', scope }, messages).matched).toHaveLength(2)
  })

  it('refuses a scope that is not valid', () => {
    const candidate = { toolName: 'write', scope: { covers: {} } }
    expect(() => explainPolicy(candidate, [])).toThrow('scope.covers')
  })
})
