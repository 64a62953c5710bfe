import type { UIMessage, UIMessageChunk } from 'ai'

/** A stream that is hard in a way of its own. */
export interface StreamByHand {
  readonly name: string
  /** What it goes on with. Default: an empty message. */
  readonly initial?: UIMessage
  readonly chunks: readonly UIMessageChunk[]
}

const STEP: UIMessageChunk = { type: 'start-step' }

function call(toolCallId: string, toolName: string, input: unknown = {}): UIMessageChunk {
  return { type: 'tool-input-available', toolCallId, toolName, input }
}

function inputStart(toolCallId: string, toolName: string): UIMessageChunk {
  return { type: 'tool-input-start', toolCallId, toolName }
}

function inputDelta(toolCallId: string, inputTextDelta: string): UIMessageChunk {
  return { type: 'tool-input-delta', toolCallId, inputTextDelta }
}

function output(toolCallId: string, value: unknown, preliminary?: boolean): UIMessageChunk {
  return {
    type: 'tool-output-available',
    toolCallId,
    output: value,
    ...(preliminary && { preliminary }),
  }
}

function text(id: string, delta: string): UIMessageChunk {
  return { type: 'text-delta', id, delta }
}

export const STREAMS_BY_HAND: readonly StreamByHand[] = [
  {
    name: 'texts and reasoning with the same ids interleave, and an id is used again after its end',
    chunks: [
      STEP,
      { type: 'text-start', id: '1' },
      { type: 'reasoning-start', id: '1' },
      { type: 'text-start', id: '__proto__' },
      text('1', 'a'),
      { type: 'reasoning-delta', id: '1', delta: 'think' },
      text('__proto__', 'b'),
      text('1', 'c'),
      { type: 'text-end', id: '1' },
      { type: 'text-start', id: '1' },
      text('1', 'd'),
      { type: 'text-end', id: '__proto__', providerMetadata: { vendor: { id: 'x' } } },
      { type: 'reasoning-end', id: '1' },
      { type: 'finish', finishReason: 'stop' },
    ],
  },
  {
    name: 'a text outlives the step that it began in',
    chunks: [
      STEP,
      { type: 'text-start', id: '1' },
      { type: 'finish-step' },
      STEP,
      text('1', 'late'),
      { type: 'text-end', id: '1' },
    ],
  },
  {
    name: 'the inputs of two calls interleave, cut inside escapes, surrogates, numbers and literals',
    chunks: [
      STEP,
      inputStart('a', 'write'),
      inputStart('b', 'constructor'),
      ...['{"te', 'xt":"\\', 'u00', 'e9\\ud83d', '\\', 'ude00\ud83d'].map((piece) =>
        inputDelta('a', piece),
      ),
      ...['[1', '.', '5e', '+3,-', '0,tr', 'ue,nul'].map((piece) => inputDelta('b', piece)),
      ...['\ude00","no":{"de', 'ep":[]}}'].map((piece) => inputDelta('a', piece)),
      inputDelta('b', 'l]'),
      call('b', 'constructor', [1500, -0, true, null]),
      call('a', 'write', { text: 'x' }),
    ],
  },
  {
    name: 'a call id comes again in the next step, and each result finds the latest call',
    chunks: [
      STEP,
      inputStart('a', 'read'),
      inputDelta('a', '{"n":1}'),
      call('a', 'read', { n: 1 }),
      output('a', 'first'),
      { type: 'finish-step' },
      STEP,
      inputStart('a', 'read'),
      inputDelta('a', '{"n":'),
      inputDelta('a', '2}'),
      call('a', 'read', { n: 2 }),
      output('a', 'second'),
      STEP,
      output('a', 'second, corrected'),
    ],
  },
  {
    name: 'a step is reset, and its calls, data and texts are gone while those before it stay',
    chunks: [
      STEP,
      call('a', 'read', { n: 1 }),
      { type: 'data-note', id: '1', data: 'kept' },
      STEP,
      { type: 'text-start', id: '1' },
      text('1', 'half a sen'),
      call('a', 'read', { n: 2 }),
      { type: 'tool-approval-request', approvalId: 'p', toolCallId: 'a' },
      { type: 'data-note', id: '2', data: 'dropped' },
      { type: 'data-note', id: '1', data: 'changed' },
      { type: 'reset-step' },
      { type: 'reset-step' },
      { type: 'data-note', id: '2', data: 'new' },
      output('a', 'for the first call'),
      { type: 'text-start', id: '1' },
      text('1', 'again'),
      { type: 'text-end', id: '1' },
    ],
  },
  {
    name: 'a reset without any step empties the message',
    chunks: [
      call('a', 'read'),
      { type: 'custom', kind: 'vendor.mark' },
      { type: 'reset-step' },
      STEP,
    ],
  },
  {
    name: 'a dynamic tool goes the whole way, with metadata of call and result',
    chunks: [
      STEP,
      {
        type: 'tool-input-start',
        toolCallId: 'a',
        toolName: 'mcp',
        dynamic: true,
        title: 'MCP',
        toolMetadata: { server: 'one' },
        providerMetadata: { vendor: { call: 1 } },
      },
      inputDelta('a', '{"q":"x'),
      {
        type: 'tool-input-available',
        toolCallId: 'a',
        toolName: 'mcp',
        dynamic: true,
        input: { q: 'x' },
      },
      output('a', { rows: 1 }, true),
      {
        type: 'tool-output-available',
        toolCallId: 'a',
        output: { rows: 2 },
        dynamic: true,
        toolMetadata: { server: 'two' },
        providerMetadata: { vendor: { result: 1 } },
      },
    ],
  },
  {
    name: 'a preliminary output becomes final, and a failure follows an output',
    chunks: [
      STEP,
      call('a', 'shell'),
      output('a', 'line 1', true),
      output('a', 'line 1\nline 2', true),
      output('a', 'line 1\nline 2'),
      { type: 'tool-output-error', toolCallId: 'a', errorText: 'exit 1' },
    ],
  },
  {
    name: 'a person is asked, the answer keeps what the request said, and the tool runs',
    chunks: [
      STEP,
      call('a', 'send', { to: 'x' }),
      {
        type: 'tool-approval-request',
        approvalId: 'p',
        toolCallId: 'a',
        approvalDescriptor: { risk: 'send' },
        inputSchemaInput: { to: 'X' },
        reason: 'leaves the app',
        signature: 'signed',
      },
      { type: 'tool-approval-response', approvalId: 'p', approved: true, reason: 'fine' },
      STEP,
      output('a', 'sent'),
    ],
  },
  {
    name: 'automatic approvals decide two calls, one of each kind, before they run',
    chunks: [
      STEP,
      call('a', 'read'),
      call('b', 'wipe'),
      { type: 'tool-approval-request', approvalId: 'p', toolCallId: 'a', isAutomatic: true },
      { type: 'tool-approval-response', approvalId: 'p', approved: true },
      { type: 'tool-approval-request', approvalId: 'q', toolCallId: 'b', isAutomatic: true },
      { type: 'tool-approval-response', approvalId: 'q', approved: false, reason: 'not here' },
      { type: 'tool-output-denied', toolCallId: 'b' },
      output('a', 'content'),
    ],
  },
  {
    name: 'an approved provider call comes back under another id, as MCP calls do',
    chunks: [
      STEP,
      {
        type: 'tool-input-available',
        toolCallId: 'request',
        toolName: 'mcp.search',
        dynamic: true,
        providerExecuted: true,
        input: { q: 1 },
      },
      { type: 'tool-approval-request', approvalId: 'request-1', toolCallId: 'request' },
      {
        type: 'tool-approval-response',
        approvalId: 'request-1',
        approved: true,
        providerExecuted: true,
        providerMetadata: { vendor: { request: 1 } },
      },
      STEP,
      {
        type: 'tool-input-available',
        toolCallId: 'run',
        toolName: 'mcp.search',
        dynamic: true,
        providerExecuted: true,
        input: { q: 1 },
      },
      { type: 'tool-output-available', toolCallId: 'run', output: [], providerExecuted: true },
    ],
  },
  {
    name: 'inputs are rejected: of a streaming static call that is now called dynamic, and of a new one',
    chunks: [
      STEP,
      inputStart('a', 'read'),
      inputDelta('a', '{"pa'),
      {
        type: 'tool-input-error',
        toolCallId: 'a',
        toolName: 'read',
        dynamic: true,
        input: '{"pa',
        errorText: 'no JSON',
        title: 'ignored',
      },
      { type: 'tool-output-error', toolCallId: 'a', errorText: 'no JSON' },
      {
        type: 'tool-input-error',
        toolCallId: 'b',
        toolName: 'unknown',
        dynamic: true,
        input: {},
        errorText: 'no such tool',
        providerMetadata: { vendor: { id: 1 } },
      },
    ],
  },
  {
    name: 'an input that is plain text, and one that fails while it streams',
    chunks: [
      STEP,
      { type: 'tool-input-start', toolCallId: 'a', toolName: 'sql', inputEncoding: 'text' },
      inputDelta('a', 'select "x'),
      inputDelta('a', '" from {t'),
      { type: 'tool-input-start', toolCallId: 'b', toolName: 'sql', inputEncoding: 'text' },
      inputDelta('b', 'drop'),
      { type: 'tool-output-error', toolCallId: 'b', errorText: 'cut' },
      call('a', 'sql', 'select "x" from {t}'),
    ],
  },
  {
    name: 'a repair changes the tool of a call, and an input begins again',
    chunks: [
      STEP,
      inputStart('a', 'raed'),
      inputDelta('a', '{"path":'),
      inputStart('a', 'raed'),
      inputDelta('a', '{"p":1}'),
      call('a', 'read', { path: 'x' }),
    ],
  },
  {
    name: 'data parts: by type and id, without id, transient, with a name that ends like an id',
    chunks: [
      { type: 'data-a', id: '1', data: { n: 1 } },
      { type: 'data-a', data: 'no id' },
      { type: 'data-a', id: '1', data: { n: 2 }, transient: true },
      STEP,
      { type: 'data-a', id: '1', data: { n: 3 } },
      { type: 'data-a', data: 'no id' },
      { type: 'data-a-1', id: '', data: 1 },
      { type: 'data-a', id: '-1', data: 2 },
      { type: 'data-b', id: '1', data: null, transient: false },
    ],
  },
  {
    name: 'files, sources, custom and steering parts keep the fields of their parts only',
    chunks: [
      STEP,
      { type: 'file', mediaType: 'image/png', url: 'data:,' },
      {
        type: 'reasoning-file',
        mediaType: 'image/png',
        url: 'data:,',
        providerMetadata: { v: { a: 1 } },
      },
      { type: 'source-url', sourceId: 's', url: 'https://example.test' },
      {
        type: 'source-document',
        sourceId: 'd',
        mediaType: 'text/plain',
        title: 'T',
        filename: 'f',
      },
      { type: 'custom', kind: 'vendor.message_start', providerMetadata: { v: { a: 1 } } },
      {
        type: 'steering-message',
        id: 'u',
        parts: [
          { type: 'text', text: 'shorter please' },
          { type: 'file', mediaType: 'image/png', url: 'data:,' },
        ],
      },
      STEP,
    ],
  },
  {
    name: 'metadata is merged at every depth, and hostile keys do no harm',
    chunks: [
      { type: 'start', messageId: 'm', messageMetadata: { a: { b: { c: 1 } }, list: [1, 2] } },
      { type: 'message-metadata', messageMetadata: { a: { b: { d: 2 } }, list: [3] } },
      {
        type: 'message-metadata',
        messageMetadata: JSON.parse('{"a":{"__proto__":{"polluted":1},"b":null}}'),
      },
      {
        type: 'message-metadata',
        messageMetadata: { constructor: { prototype: { polluted: 1 } } },
      },
      { type: 'message-metadata', messageMetadata: null },
      { type: 'finish', finishReason: 'stop', messageMetadata: { a: 'flat' } },
    ],
  },
  {
    name: 'a start of another message begins anew',
    chunks: [
      { type: 'start', messageId: 'm', messageMetadata: { a: 1 } },
      STEP,
      call('a', 'read'),
      { type: 'start' },
      { type: 'start', messageId: 'n' },
      STEP,
      call('a', 'read', { n: 2 }),
      output('a', 1),
    ],
  },
  {
    name: 'results for the calls of a restored message come before its next step',
    initial: {
      id: 'm',
      role: 'assistant',
      metadata: { restored: true },
      parts: [
        { type: 'step-start' },
        { type: 'tool-read', toolCallId: 'a', state: 'output-available', input: {}, output: 'old' },
        { type: 'step-start' },
        { type: 'text', text: 'I will', state: 'streaming' },
        {
          type: 'tool-send',
          toolCallId: 'a',
          state: 'approval-responded',
          input: { to: 'x' },
          approval: { id: 'p', approved: true, signature: 'signed' },
        },
        {
          type: 'dynamic-tool',
          toolName: 'wipe',
          toolCallId: 'b',
          state: 'approval-responded',
          input: {},
          approval: { id: 'q', approved: false, reason: 'no' },
        },
        { type: 'data-note', id: '1', data: 'old' },
      ],
    },
    chunks: [
      { type: 'start', messageId: 'm' },
      { type: 'tool-output-denied', toolCallId: 'b' },
      output('a', 'sent'),
      STEP,
      { type: 'data-note', id: '1', data: 'new' },
      call('a', 'read', { again: true }),
      { type: 'finish', finishReason: 'tool-calls' },
    ],
  },
  {
    name: 'inputs that were streaming when the message was stored stream on',
    initial: {
      id: 'm',
      role: 'assistant',
      parts: [
        { type: 'step-start' },
        {
          type: 'tool-write',
          toolCallId: 'a',
          state: 'input-streaming',
          title: 'Write',
          input: { text: 'hel' },
          rawInput: '{"text":"hel',
        },
        {
          type: 'dynamic-tool',
          toolName: 'sql',
          toolCallId: 'b',
          state: 'input-streaming',
          input: 'sel',
          rawInput: 'sel',
          inputEncoding: 'text',
        },
        { type: 'tool-late', toolCallId: 'c', state: 'input-streaming', input: undefined },
      ],
    },
    chunks: [
      inputDelta('a', 'lo"'),
      inputDelta('b', 'ect 1'),
      inputDelta('c', '[tru'),
      call('a', 'write', { text: 'hello' }),
    ],
  },
]
