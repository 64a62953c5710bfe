import {
  STEP,
  OUTPUT,
  ONE_PART,
  call,
  streaming,
  streamingParts,
  type Difference,
} from './difference.ts'

/** What goes on and what begins anew, and how inputs are read that are not complete. */
export const DIFFERENCES_ABOUT_READING: readonly Difference[] = [
  {
    name: 'an input goes on in its part when another step has begun, as in merged streams',
    why: ONE_PART,
    chunks: [
      STEP,
      { type: 'tool-input-start', toolCallId: 'a', toolName: 'read' },
      STEP,
      { type: 'tool-input-delta', toolCallId: 'a', inputTextDelta: '{"n":1' },
      call('read', { n: 1 }),
    ],
    ours: {
      parts: [
        { type: 'step-start' },
        { type: 'tool-read', toolCallId: 'a', state: 'input-available', input: { n: 1 } },
        { type: 'step-start' },
      ],
    },
  },
  {
    name: 'what Assent noted about a call stays when the server sends tool metadata',
    why: 'A result does not undo who decided and when.',
    initial: {
      id: 'm',
      role: 'assistant',
      parts: [
        {
          type: 'tool-send',
          toolCallId: 'a',
          state: 'approval-responded',
          input: {},
          approval: { id: 'p', approved: true },
          toolMetadata: { assent: { decidedAt: 7, risk: 'send' }, server: 'one' },
        },
      ],
    },
    chunks: [{ ...OUTPUT, toolMetadata: { server: 'two', assent: { summary: 'Sends it' } } }],
    ours: {
      parts: [
        {
          type: 'tool-send',
          toolCallId: 'a',
          state: 'output-available',
          input: {},
          output: 1,
          approval: { id: 'p', approved: true },
          toolMetadata: {
            server: 'two',
            assent: { decidedAt: 7, risk: 'send', summary: 'Sends it' },
          },
        },
      ],
    },
  },
  {
    name: 'a streaming input with the key __proto__ is shown, as an own property',
    why: 'It does no harm, and the person sees what the call will do before it is complete.',
    chunks: streaming('{"__proto__":{"x":1},"path":"/e'),
    ours: streamingParts(
      '{"__proto__":{"x":1},"path":"/e',
      JSON.parse('{"__proto__":{"x":1},"path":"/e"}'),
    ),
  },
  {
    name: 'a streaming input that is no JSON is shown as far as it was',
    why: 'The complete input follows. Until then what could be read tells a person more than nothing.',
    chunks: streaming('{"a": [1, "two"], oops "b": 2}'),
    ours: streamingParts('{"a": [1, "two"], oops "b": 2}', { a: [1, 'two'] }),
  },
  {
    name: 'a key with an escaped quote and a colon is a key',
    why: 'It is JSON; the AI SDK takes the escaped quote for the end of the key.',
    chunks: streaming('{"a\\":b":1'),
    ours: streamingParts('{"a\\":b":1', { 'a":b': 1 }),
  },
  {
    name: 'a number with a plus in its exponent is not cut before it',
    why: 'It is JSON; in an object the AI SDK shows 1 until the next value begins.',
    chunks: streaming('{"a":1e+5'),
    ours: streamingParts('{"a":1e+5', { a: 1e5 }),
  },
  {
    name: 'metadata that is no object is replaced, not spread into its characters',
    why: 'Merging is for objects.',
    chunks: [
      { type: 'message-metadata', messageMetadata: 'draft' },
      { type: 'message-metadata', messageMetadata: { done: true } },
    ],
    ours: { metadata: { done: true } },
  },
  {
    name: 'with keepId, a message that goes on keeps its id and its parts',
    why: 'Lists and decisions know a message by its id.',
    initial: { id: 'm', role: 'assistant', parts: [{ type: 'step-start' }] },
    options: { keepId: true },
    chunks: [{ type: 'start', messageId: 'n' }, STEP],
    ours: { id: 'm', parts: [{ type: 'step-start' }, { type: 'step-start' }] },
  },
  {
    name: 'with replay, the first start empties the message although its id is the same',
    why: 'The AI SDK has this for transports that replay, but not in its reader.',
    initial: { id: 'm', role: 'assistant', metadata: 1, parts: [{ type: 'step-start' }] },
    options: { replay: true },
    chunks: [{ type: 'start', messageId: 'm' }, STEP, { type: 'start', messageId: 'm' }],
    ours: { metadata: undefined, parts: [{ type: 'step-start' }] },
  },
]
