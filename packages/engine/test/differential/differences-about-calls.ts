import { toLocalApprovalId } from '../../src/message/tool-part.ts'
import {
  STEP,
  REQUEST,
  YES,
  NO,
  OUTPUT,
  ONE_INPUT,
  ONE_DECISION,
  ONE_PART,
  call,
  type Difference,
} from './difference.ts'

/** What was decided or done stays so, and a call has one part and one input. */
export const DIFFERENCES_ABOUT_CALLS: readonly Difference[] = [
  {
    name: 'a second call with the id of another in the same step is refused',
    why: ONE_INPUT,
    chunks: [STEP, call('read', { n: 1 }), call('read', { n: 2 })],
    ours: 'refused',
  },
  {
    name: 'a second call with id and input of another in the same step is refused',
    why: 'It is a call of its own, of which nobody would hear again.',
    chunks: [STEP, call('read', { n: 1 }), call('read', { n: 1 })],
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
]
