import { readUIMessageStream, uiMessageChunkSchema } from 'ai'
import type { UIMessage, UIMessageChunk } from 'ai'
import { expect, test } from 'vitest'
import {
  answer,
  approvalRequestChunks,
  callTools,
  reasoningChunks,
  responseChunks,
  stepChunks,
  textChunks,
  toolCallChunks,
  toolErrorChunks,
  toolOutputChunks,
} from './chunks.ts'

async function read(chunks: readonly UIMessageChunk[]): Promise<UIMessage> {
  const { validate } = uiMessageChunkSchema()
  for (const chunk of chunks) expect(await validate?.(chunk)).toMatchObject({ success: true })
  let last: UIMessage | undefined
  const stream = new ReadableStream<UIMessageChunk>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  for await (const message of readUIMessageStream({ stream, terminateOnError: true })) {
    last = message
  }
  return last!
}

test('an answer reads back as one finished text part', async () => {
  expect(await read(answer(['Hel', 'lo'], { messageId: 'm1' }))).toEqual({
    id: 'm1',
    metadata: undefined,
    role: 'assistant',
    parts: [{ type: 'step-start' }, { type: 'text', text: 'Hello', state: 'done' }],
  })
})

test.each([
  ['in one delta', 1],
  ['in several deltas', 5],
  ['in given pieces', ['{"path"', ':"a.txt"}']],
  ['without deltas', false],
] as const)('a tool call streams its input %s', async (_, deltas) => {
  const chunks = callTools({
    toolCallId: 'c1',
    toolName: 'read',
    input: { path: 'a.txt' },
    deltas,
  })
  const count = deltas === false ? 0 : typeof deltas === 'number' ? deltas : deltas.length
  expect(chunks.filter((chunk) => chunk.type === 'tool-input-delta')).toHaveLength(count)
  expect(chunks.at(-1)).toEqual({ type: 'finish', finishReason: 'tool-calls' })
  const message = await read(chunks)
  expect(message.parts).toMatchObject([
    { type: 'step-start' },
    {
      type: 'tool-read',
      toolCallId: 'c1',
      state: 'input-available',
      input: { path: 'a.txt' },
    },
  ])
})

test('a response of many steps carries every kind of part', async () => {
  const message = await read(
    responseChunks(
      { messageMetadata: { model: 'm' }, finishMetadata: { rawFinishReason: 'end_turn' } },
      stepChunks(
        reasoningChunks('r1', 'Hm.'),
        toolCallChunks({ toolCallId: 'a', toolName: 'find', input: {}, dynamic: true }),
        toolOutputChunks('a', 'half', 'whole'),
        toolCallChunks({ toolCallId: 'b', toolName: 'send', input: { to: 'x' } }),
        toolErrorChunks('b', 'no route'),
      ),
      stepChunks(
        textChunks('t1', 'Then'),
        toolCallChunks({ toolCallId: 'c', toolName: 'send', input: { to: 'y' } }),
        approvalRequestChunks({ toolCallId: 'c', reason: 'it leaves the app' }),
      ),
    ),
  )
  expect(message.metadata).toEqual({ model: 'm', rawFinishReason: 'end_turn' })
  expect(message.parts).toMatchObject([
    { type: 'step-start' },
    { type: 'reasoning', text: 'Hm.', state: 'done' },
    { type: 'dynamic-tool', toolName: 'find', state: 'output-available', output: 'whole' },
    { type: 'tool-send', state: 'output-error', errorText: 'no route' },
    { type: 'step-start' },
    { type: 'text', text: 'Then' },
    {
      type: 'tool-send',
      state: 'approval-requested',
      approval: { id: 'approval-c', requestReason: 'it leaves the app' },
    },
  ])
  expect(toolOutputChunks('a', 'half', 'whole')[0]).toMatchObject({ preliminary: true })
})
