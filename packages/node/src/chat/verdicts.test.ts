import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { Tool, ToolApprovalConfiguration, ToolSet } from 'ai'
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test'
import { describe, expect, test } from 'vitest'
import {
  answered,
  ask,
  asked,
  callsOf,
  decided,
  inputSchema,
  question,
  startAsking,
} from '../../test/asking-server.ts'
import type { ChatContext } from './chat-options.ts'

/** What plain JavaScript, a typo or a rule from elsewhere can answer. */
const UNKNOWN: readonly unknown[] = [
  'user_approval',
  'ask',
  'allow',
  '',
  true,
  false,
  null,
  0,
  {},
  [],
  { type: 'ask' },
  { type: undefined },
  { type: { type: 'approved' } },
  { type: 'user-approval ' },
  new Map(),
]

type Rules = ToolApprovalConfiguration<ToolSet, ChatContext>

describe('a verdict that nobody knows', () => {
  test.each(UNKNOWN.flatMap((verdict) => cases(verdict)))(
    '%s (%s) asks a person, and is reported',
    async (_verdict, _form, toolApproval) => {
      const errors: unknown[] = []
      const server = await startAsking([ask, 'Sent.'], {
        toolApproval,
        onError: (error) => errors.push(error),
      })
      const messages = await asked(server)
      expect(server.effects).toEqual([])
      expect(callsOf(messages)).toMatchObject([{ state: 'approval-requested' }])
      expect(errors).toMatchObject([{ code: 'unknown_verdict' }])
      // Once: neither the run after a yes nor another question tells of it again.
      const approved = decided(messages, true)
      await answered(approved, await server.chat.post(approved))
      expect(server.effects).toEqual(['send ada'])
      expect(errors).toHaveLength(1)
    },
  )
})

describe('a rule', () => {
  test('that throws after a yes keeps the call from running', async () => {
    let isDown = false
    const server = await startAsking([ask, 'Hm.'], {
      toolApproval: () => {
        if (isDown) throw new Error('policy down')
        return 'user-approval'
      },
    })
    const approved = decided(await asked(server), true)
    isDown = true
    const after = await answered(approved, await server.chat.post(approved))
    expect(server.effects).toEqual([])
    expect(callsOf(after)).toMatchObject([
      { state: 'output-error', errorText: expect.stringContaining('did not run') },
    ])
  })

  test('that changes its input changes nothing of what runs', async () => {
    const meddle = (input: object): undefined => void Object.assign(input, { to: 'eve' })
    for (const toolApproval of [
      { send: (input: object) => meddle(input) ?? ('approved' as const) },
      ({ toolCall }: { toolCall: { input: unknown } }) =>
        meddle(toolCall.input as object) ?? ('approved' as const),
    ]) {
      const server = await startAsking([ask, 'Sent.'], { toolApproval })
      const after = await asked(server)
      expect(server.effects).toEqual(['send ada'])
      expect(callsOf(after)).toMatchObject([{ input: { to: 'ada' } }])
    }
  })

  test("about a provider's tool, which cannot wait, is an error that names its own option", async () => {
    const web: Tool = {
      type: 'provider',
      id: 'anthropic.web_search',
      args: {},
      isProviderExecuted: true,
      inputSchema,
      outputSchema: inputSchema,
    }
    const errors: unknown[] = []
    const search = { toolCallId: '1', toolName: 'web', input: '{}', providerExecuted: true }
    const model = new MockLanguageModelV4({
      doStream: async () => ({
        stream: convertArrayToReadableStream<LanguageModelV4StreamPart>([
          { type: 'tool-call', ...search },
          { type: 'tool-result', toolCallId: '1', toolName: 'web', result: {} },
        ]),
      }),
    })
    const server = await startAsking([], {
      model,
      tools: { web },
      toolApproval: () => 'user-approval',
      onError: (error) => errors.push(error),
    })
    const response = await server.chat.post(question)
    expect(await response.text()).toContain('"type":"error"')
    expect(errors).toMatchObject([
      { code: 'provider_cannot_wait', message: expect.stringContaining('requireApproval') },
    ])
  })
})

/** A verdict as it can be given. */
function cases(verdict: unknown): [verdict: string, form: string, rules: Rules][] {
  const forms: [string, unknown][] = [
    ['static', { send: verdict }],
    ['of a rule of the tool', { send: () => verdict }],
    ['of a promise', { send: async () => verdict }],
    ['of one rule for all', () => verdict],
  ]
  // The types refuse these; what is not typed can still answer them.
  return forms.map(([form, rules]) => [JSON.stringify(verdict), form, rules as Rules])
}
