import type { UIMessage, UIMessageChunk } from 'ai'
import type { ChunkOf } from '../../src/message/chunk.ts'
import type { MessageReducerOptions } from '../../src/message/message-reducer.ts'
import { toLocalApprovalId } from '../../src/message/tool-part.ts'

/** A stream that is read otherwise than the AI SDK reads it, and why. */
export interface Difference {
  readonly name: string
  readonly why: string
  readonly initial?: UIMessage
  readonly options?: MessageReducerOptions
  readonly chunks: readonly UIMessageChunk[]
  /** What the message has then, or that the last chunk is refused with `stream_invalid`. */
  readonly ours: Partial<UIMessage> | 'refused'
}

const STEP: UIMessageChunk = { type: 'start-step' }

function call(toolName: string, input: unknown = {}): UIMessageChunk {
  return { type: 'tool-input-available', toolCallId: 'a', toolName, input }
}

const REQUEST: UIMessageChunk = { type: 'tool-approval-request', approvalId: 'p', toolCallId: 'a' }
const YES: UIMessageChunk = { type: 'tool-approval-response', approvalId: 'p', approved: true }
const NO: UIMessageChunk = { type: 'tool-approval-response', approvalId: 'p', approved: false }
const OUTPUT: ChunkOf<'tool-output-available'> = {
  type: 'tool-output-available',
  toolCallId: 'a',
  output: 1,
}

const ONE_INPUT =
  'What was decided or done was decided or done for the input that is there, and every call needs a ' +
  'result of its own: an input that is complete is not replaced.'
const ONE_DECISION =
  'Whatever was decided or done cannot be opened again or turned round by the stream.'
const ONE_PART = 'A call has one part: a second one would wait for a result for ever.'

/** The input of a call as it streams in. */
function streaming(inputTextDelta: string): UIMessageChunk[] {
  return [
    { type: 'tool-input-start', toolCallId: 'a', toolName: 'write' },
    { type: 'tool-input-delta', toolCallId: 'a', inputTextDelta },
  ]
}

function streamingParts(rawInput: string, input: unknown): Partial<UIMessage> {
  return {
    parts: [{ type: 'tool-write', toolCallId: 'a', state: 'input-streaming', rawInput, input }],
  }
}

/** All of them. */
export const DIFFERENCES_ON_PURPOSE: readonly Difference[] = [
  {
    name: 'a second call with the id of another in the same step is refused',
    why: ONE_INPUT,
    chunks: [STEP, call('read', { n: 1 }), call('read', { n: 2 })],
    ours: 'refused',
  },
  {
    name: 'a second call with the id of another in the same step is refused when it begins',
    why: ONE_INPUT,
    chunks: [STEP, call('read'), { type: 'tool-input-start', toolCallId: 'a', toolName: 'read' }],
    ours: 'refused',
  },
  {
    name: 'the input of an approved call is not replaced',
    why: ONE_INPUT,
    chunks: [STEP, call('send', { to: 'me' }), REQUEST, YES, call('send', { to: 'all' })],
    ours: 'refused',
  },
  {
    name: 'the input of a call that has run is not replaced',
    why: ONE_INPUT,
    chunks: [STEP, call('send'), OUTPUT, call('send')],
    ours: 'refused',
  },
  {
    name: 'a call that has run is not rejected afterwards',
    why: ONE_INPUT,
    chunks: [
      STEP,
      call('send'),
      OUTPUT,
      { type: 'tool-input-error', toolCallId: 'a', toolName: 'send', input: {}, errorText: 'no' },
    ],
    ours: 'refused',
  },
  {
    name: 'no delta follows a complete input',
    why: ONE_INPUT,
    chunks: [
      STEP,
      { type: 'tool-input-start', toolCallId: 'a', toolName: 'read' },
      call('read'),
      { type: 'tool-input-delta', toolCallId: 'a', inputTextDelta: '{"path":"/"}' },
    ],
    ours: 'refused',
  },
  {
    name: 'nobody is asked about a call that has its result',
    why: ONE_DECISION,
    chunks: [STEP, call('send'), OUTPUT, REQUEST],
    ours: 'refused',
  },
  {
    name: 'nobody is asked again about a call that was decided',
    why: ONE_DECISION,
    chunks: [STEP, call('send'), REQUEST, NO, REQUEST],
    ours: 'refused',
  },
  {
    name: 'nobody is asked about an input that is not complete',
    why: 'A person would decide on something else than what runs.',
    chunks: [
      STEP,
      { type: 'tool-input-start', toolCallId: 'a', toolName: 'send' },
      { type: 'tool-input-delta', toolCallId: 'a', inputTextDelta: '{"to":"m' },
      REQUEST,
    ],
    ours: 'refused',
  },
  {
    name: 'a no does not become a yes',
    why: ONE_DECISION,
    chunks: [STEP, call('send'), REQUEST, NO, YES],
    ours: 'refused',
  },
  {
    name: 'a decision comes too late for a call that has its result',
    why: ONE_DECISION,
    chunks: [STEP, call('send'), REQUEST, OUTPUT, YES],
    ours: 'refused',
  },
  {
    name: 'what the engine asked itself is not decided by the stream',
    why: 'It runs here, so only a person who was asked here can say yes.',
    initial: {
      id: 'm',
      role: 'assistant',
      parts: [
        {
          type: 'tool-wipe',
          toolCallId: 'a',
          state: 'approval-requested',
          input: {},
          approval: { id: toLocalApprovalId('1') },
        },
      ],
    },
    chunks: [
      { type: 'tool-approval-response', approvalId: toLocalApprovalId('1'), approved: true },
    ],
    ours: 'refused',
  },
  {
    name: 'an approval id that comes again names the latest call',
    why: 'Servers that number their approvals per step would decide an old call instead.',
    chunks: [STEP, call('send'), REQUEST, YES, OUTPUT, STEP, call('wipe'), REQUEST, NO],
    ours: {
      parts: [
        { type: 'step-start' },
        {
          type: 'tool-send',
          toolCallId: 'a',
          state: 'output-available',
          input: {},
          output: 1,
          approval: { id: 'p', approved: true },
        },
        { type: 'step-start' },
        {
          type: 'tool-wipe',
          toolCallId: 'a',
          state: 'approval-responded',
          input: {},
          approval: { id: 'p', approved: false },
        },
      ],
    },
  },
  {
    name: 'a call that turns out to be dynamic keeps its part',
    why: ONE_PART,
    chunks: [
      STEP,
      { type: 'tool-input-start', toolCallId: 'a', toolName: 'find' },
      { type: 'tool-input-available', toolCallId: 'a', toolName: 'mcp', dynamic: true, input: {} },
    ],
    ours: {
      parts: [
        { type: 'step-start' },
        {
          type: 'dynamic-tool',
          toolName: 'mcp',
          toolCallId: 'a',
          state: 'input-available',
          input: {},
        },
      ],
    },
  },
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
