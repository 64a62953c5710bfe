import type { UIMessage } from 'ai'
import { expect, it } from 'vitest'
import type { MessagePart } from '../../message/tool-part.ts'
import { isSameConversation } from './same-conversation.ts'

const input = { path: 'a' }
const own = { type: 'tool-write', toolCallId: '1', input } as const
const ofProvider = { ...own, type: 'tool-web_search', providerExecuted: true } as const
const dynamic = { ...own, type: 'dynamic-tool', toolName: 'write' } as const
const available = { state: 'input-available' } as const
const done = { state: 'output-available', output: 'ok' } as const
const asked = { state: 'approval-requested', approval: { id: 'a' } } as const
const answered = {
  state: 'approval-responded',
  approval: { id: 'a', approved: true, reason: 'fine' },
} as const

const with_ = (...parts: MessagePart[]): UIMessage[] => [
  { id: 'u', role: 'user', parts: [{ type: 'text', text: 'go' }] },
  { id: 'a', role: 'assistant', parts },
]

it.each<[string, MessagePart, MessagePart]>([
  ['the same text in another object', { type: 'text', text: 'a' }, { type: 'text', text: 'a' }],
  ['the result of a call that ran here', { ...own, ...available }, { ...own, ...done }],
  ['an input that a person gave', { ...own, ...available }, { ...own, ...done, input: {} }],
  ['a yes to a call that runs here', { ...own, ...available }, { ...own, ...answered }],
  ['a yes to a call of the server', { ...own, ...asked }, { ...own, ...answered }],
  ['a yes to a call of the provider', { ...ofProvider, ...asked }, { ...ofProvider, ...answered }],
  [
    'what is noted beside a call',
    { ...ofProvider, ...done },
    { ...ofProvider, ...done, toolMetadata: { assent: { summary: 'Looks' } } },
  ],
])('%s leaves a conversation the same', (_what, before, now) => {
  expect(isSameConversation(with_(before), with_(now))).toBe(true)
})

it.each<[string, MessagePart, MessagePart]>([
  ['another text', { type: 'text', text: 'a' }, { type: 'text', text: 'b' }],
  ['another part', { type: 'text', text: 'a' }, { ...own, ...available }],
  ['another call', { ...own, ...available }, { ...own, ...done, toolCallId: '2' }],
  ['another tool', { ...own, ...available }, { ...own, ...done, type: 'tool-read' }],
  [
    'another dynamic tool',
    { ...dynamic, ...available },
    { ...dynamic, ...available, toolName: 'read' },
  ],
  ['another executor', { ...own, ...available }, { ...own, ...done, providerExecuted: true }],
  ['another result', { ...own, ...done }, { ...own, ...done, output: 'cut' }],
  ['a result for the provider', { ...ofProvider, ...available }, { ...ofProvider, ...done }],
  [
    'another input for the provider',
    { ...ofProvider, ...available },
    { ...ofProvider, ...available, input: {} },
  ],
  [
    'another result of the provider',
    { ...ofProvider, ...done },
    { ...ofProvider, ...done, output: 'cut' },
  ],
  [
    'an end of a call of the provider',
    { ...ofProvider, ...available },
    { ...ofProvider, state: 'output-denied', approval: { id: 'a', approved: false } },
  ],
  [
    'a settled call that is open again',
    { ...ofProvider, ...done },
    { ...ofProvider, ...available },
  ],
])('%s makes it another one', (_what, before, now) => {
  expect(isSameConversation(with_(before), with_(now))).toBe(false)
})

it('is another one with a message more, less, or of another id or role', () => {
  const before = with_({ type: 'text', text: 'a' })
  const [user, assistant] = before as [UIMessage, UIMessage]
  expect(isSameConversation(before, before)).toBe(true)
  expect(isSameConversation(before, [user])).toBe(false)
  expect(isSameConversation([user], before)).toBe(false)
  expect(isSameConversation(before, [user, { ...assistant, id: 'b' }])).toBe(false)
  expect(isSameConversation(before, [{ ...user, role: 'system' }, assistant])).toBe(false)
  expect(isSameConversation(before, [user, { ...assistant, metadata: { ms: 1 } }])).toBe(true)
})
