import type { FinishReason, UIMessageChunk } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readWithAiSdk } from '../test/differential/ai-sdk-reader.ts'
import { createMessageEngine } from './engine.ts'
import type { MessageEngineOptions } from './message-engine.ts'
import { toolPlugin } from './plugins/tools/tool-plugin.ts'
import { defineStorage } from './storage/define-storage.ts'
import { memoryStorage } from './storage/memory-storage.ts'
import { answer, callTools, scriptedTransport } from './testing/index.ts'

function setUp(
  script: Parameters<typeof scriptedTransport>[0],
  options: Partial<MessageEngineOptions> = {},
) {
  const transport = scriptedTransport(script)
  return { engine: createMessageEngine({ transport, ...options }), transport }
}

/** A response of a server, as the AI SDK streams it. */
function response(
  finishReason: FinishReason,
  content: UIMessageChunk[] = [],
  messageMetadata?: unknown,
): UIMessageChunk[] {
  return [
    { type: 'start', messageId: 'answer' },
    { type: 'start-step' },
    ...content,
    { type: 'finish-step' },
    { type: 'finish', finishReason, messageMetadata },
  ]
}

const text = (delta: string): UIMessageChunk[] => [
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta },
  { type: 'text-end', id: 't' },
]
const thoughts: UIMessageChunk[] = [
  { type: 'reasoning-start', id: 'r' },
  { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
  { type: 'reasoning-end', id: 'r' },
]
const refused = { rawFinishReason: 'refusal' }
const write = { toolCallId: '1', toolName: 'write', input: {} }
const tools = {
  tools: { write: { inputSchema: z.object({}), execute: () => 'written' } },
  toolApproval: { write: 'approved' as const },
}

describe('a turn', () => {
  it.each([
    ['stop', [], {}, 'empty'],
    ['stop', thoughts, {}, 'empty'],
    ['stop', text(' \n'), {}, 'empty'],
    ['other', [], {}, 'empty'],
    ['content-filter', [], refused, 'refusal'],
    ['content-filter', [], {}, 'refusal'],
    ['content-filter', text('I can'), refused, 'refusal'],
    ['content-filter', text('I can'), { rawFinishReason: 'content_filter' }, 'content-filter'],
    ['length', text('Once upon a'), { rawFinishReason: 'max_tokens' }, 'length'],
    ['length', thoughts, {}, 'length'],
    ['stop', text('Done.'), { rawFinishReason: 'end_turn' }, undefined],
    ['stop', [{ type: 'data-chart', data: 1 }], {}, undefined],
    ['stop', [{ type: 'data-page', data: 1, transient: true }], {}, undefined],
    ['stop', [{ type: 'file', mediaType: 'image/png', url: 'data:,' }], {}, undefined],
  ] as const)(
    'that ends with %s after %j of %j has the notice %s',
    async (finishReason, content, metadata, notice) => {
      const { engine } = setUp([response(finishReason, [...content], metadata)])
      const outcome = await engine.sendMessage('go')
      const { turn } = engine.getState()
      expect(outcome).toMatchObject({ requestState: 'completed', finishReason })
      expect(turn).toMatchObject({ finishReason })
      expect([outcome.notice, turn?.notice]).toEqual([notice, notice])
      const raw = 'rawFinishReason' in metadata ? metadata.rawFinishReason : undefined
      expect([outcome.rawFinishReason, turn?.rawFinishReason]).toEqual([raw, raw])
    },
  )

  it('whose provider ended with an error has failed, and its answer is asked for again', async () => {
    const { engine } = setUp([response('error', text('Half')), answer('whole')])
    const outcome = await engine.sendMessage('go')
    expect(outcome).toMatchObject({
      requestState: 'error',
      finishReason: 'error',
      error: { code: 'stream_error', retryable: true },
    })
    expect(outcome.notice).toBeUndefined()
    const again = await engine.retry()
    expect(again).toMatchObject({ requestState: 'completed', finishReason: 'stop' })
    expect(engine.getState().messages.at(-1)?.parts).toMatchObject([
      { type: 'step-start' },
      { text: 'whole' },
    ])
  })

  it('has of its steps the end of the last, and what all of them used', async () => {
    const usage = (inputTokens: number, reasoningTokens?: number) => ({
      totalUsage: {
        inputTokens,
        outputTokens: 2,
        totalTokens: inputTokens + 2,
        outputTokenDetails: { reasoningTokens },
        raw: { secret: 1 },
      },
    })
    const { engine } = setUp(
      [
        callTools(write, { finishMetadata: { ...usage(10, 1), rawFinishReason: 'tool_use' } }),
        answer('done', { finishMetadata: usage(20) }),
      ],
      { plugins: [toolPlugin(tools)] },
    )
    const outcome = await engine.sendMessage('go')
    expect(outcome).toEqual({
      turnId: expect.any(String),
      requestState: 'completed',
      finishReason: 'stop',
      usage: {
        inputTokens: 30,
        outputTokens: 4,
        totalTokens: 34,
        inputTokenDetails: {},
        outputTokenDetails: { reasoningTokens: 1 },
      },
    })
  })

  it.each([null, 'much', 7, [], { inputTokens: '7', outputTokens: null, totalTokens: {} }])(
    'takes no usage from metadata that has %j for it',
    async (totalUsage) => {
      const { engine } = setUp([answer('ok', { finishMetadata: { totalUsage } })])
      const { usage = {} } = await engine.sendMessage('go')
      expect(JSON.stringify(usage)).not.toMatch(/[7m]/)
    },
  )

  it('says at a pause why its step ended', async () => {
    const { engine } = setUp([callTools(write)], {
      plugins: [toolPlugin({ ...tools, toolApproval: { write: 'user-approval' } })],
    })
    expect(await engine.sendMessage('go')).toMatchObject({
      requestState: 'paused',
      finishReason: 'tool-calls',
    })
  })

  it('does not know how it ends while its answer is on its way', async () => {
    const { engine, transport } = setUp([callTools(write)], { plugins: [toolPlugin(tools)] })
    const held = transport.hold()
    const sent = engine.sendMessage('go')
    await held.push({ type: 'start' }, { type: 'start-step' })
    expect(engine.getState().turn).toMatchObject({ step: 2 })
    expect(engine.getState().turn?.finishReason).toBeUndefined()
    await held.push({ type: 'finish', finishReason: 'stop' })
    held.end()
    // What the first step did is no answer.
    expect(await sent).toMatchObject({ notice: 'empty', finishReason: 'stop' })
  })
})

describe('an answer with nothing to see', () => {
  const chunks = response('content-filter', [], refused)

  it('is the message that the AI SDK makes of it', async () => {
    const { engine } = setUp([chunks])
    await engine.sendMessage('go')
    const initial = { id: '', role: 'assistant' as const, parts: [] }
    const { messages } = await readWithAiSdk(initial, chunks)
    expect(engine.getState().messages.at(-1)).toEqual(messages.at(-1))
  })

  it('is replaced when it is asked for anew', async () => {
    const { engine, transport } = setUp([chunks, answer('Now I can.')])
    await engine.sendMessage('go')
    await engine.regenerate()
    expect(transport.requests[1]).toMatchObject({
      messageId: 'answer',
      messages: [{ role: 'user' }],
    })
    expect(engine.getState().messages.map(({ parts }) => parts.at(-1))).toMatchObject([
      { text: 'go' },
      { text: 'Now I can.' },
    ])
  })

  it('leaves no message behind when it was cut off', async () => {
    const { engine } = setUp([chunks.slice(0, -1)])
    expect(await engine.sendMessage('go')).toMatchObject({
      error: { code: 'stream_without_finish' },
    })
    expect(engine.getState().messages).toHaveLength(1)
  })
})

describe('an answer that was cut at its greatest length', () => {
  const cut = response('length', text('Once upon a'))

  it('goes on in the same turn and message, with the conversation as it is', async () => {
    const { engine, transport } = setUp([cut, answer(' time.')])
    const before = await engine.sendMessage('go', { body: { model: 'large' } })
    const after = await engine.retry()
    expect(after).toMatchObject({ turnId: before.turnId, finishReason: 'stop' })
    expect(after.notice).toBeUndefined()
    expect(transport.requests[1]).toMatchObject({
      messageId: 'answer',
      body: { model: 'large' },
      messages: [{}, { parts: [{ type: 'step-start' }, { text: 'Once upon a' }] }],
    })
    expect(engine.getState().messages).toHaveLength(2)
    expect(engine.getState().messages[1]?.parts).toMatchObject([
      { type: 'step-start' },
      { text: 'Once upon a' },
      { type: 'step-start' },
      { text: ' time.' },
    ])
  })

  it('may be cut again, and goes on beyond the bound of its steps when a person asks', async () => {
    const { engine } = setUp([cut, cut, answer('.')], { maxSteps: 1 })
    await engine.sendMessage('go')
    expect(await engine.retry()).toMatchObject({ notice: 'length' })
    const { notice, requestState } = await engine.retry()
    expect([notice, requestState]).toEqual([undefined, 'completed'])
    expect(await engine.retry()).toMatchObject({ error: { code: 'nothing_to_retry' } })
  })

  it('keeps what it has when going on fails', async () => {
    const { engine } = setUp([cut, new Error('offline'), answer(' time.')])
    await engine.sendMessage('go')
    expect(await engine.retry()).toMatchObject({ requestState: 'error' })
    expect(engine.getState().messages[1]?.parts).toHaveLength(2)
    await engine.retry()
    expect(engine.getState().messages[1]?.parts).toHaveLength(4)
  })

  it('goes on after a reload', async () => {
    const storage = memoryStorage()
    const open = (script: Parameters<typeof scriptedTransport>[0]) =>
      setUp(script, { id: 'c', storage: defineStorage(storage) })
    const first = open([cut])
    await first.engine.sendMessage('go')
    first.engine.dispose()
    const second = open([answer(' time.')])
    await second.engine.ready
    expect(second.engine.getState().turn?.notice).toBe('length')
    expect(await second.engine.retry()).toMatchObject({ requestState: 'completed' })
    expect(second.engine.getState().messages).toHaveLength(2)
  })
})
