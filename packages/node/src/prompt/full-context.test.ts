import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { APICallError, type UIMessage } from 'ai'
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test'
import { describe, expect, test } from 'vitest'
import { rawChat, readEvents, userMessage } from '../../test/raw-chat.ts'
import { scriptedModel } from '../../test/scripted-model.ts'
import { serveChat } from '../../test/serve-chat.ts'
import { strictProvider } from '../../test/strict-provider.ts'
import { readRefusal } from './read-refusal.ts'

const FULL = {
  status: 400,
  message:
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
  code: 'context_length_exceeded',
}

const long = (id: string, role: 'user' | 'assistant'): UIMessage => ({
  id,
  role,
  parts: [{ type: 'text', text: `${id} ${'and so on '.repeat(700)}` }],
})

const history = [
  ...['1', '2', '3', '4', '5', '6'].flatMap((n) => [
    long(`u${n}`, 'user'),
    long(`a${n}`, 'assistant'),
  ]),
  userMessage('And now?'),
]

describe('a model whose context is full', () => {
  test('is asked once more with less, within the same request', async () => {
    const { model, asked } = await strictProvider((json) =>
      json.length > 30_000 ? FULL : undefined,
    )
    const { api, errors } = await serveChat({ model })
    expect(await readEvents(await rawChat(api).post(history)).rest()).toContain('said 2')
    expect(errors).toEqual([])
    expect(asked[1]).toMatch(/\[\d+ earlier messages were left out to save space\]/)
    expect(asked[1]).toContain('And now?')
  })

  test('is asked once more where it says so in its stream', async () => {
    let asked = 0
    const error = { message: 'Your input exceeds the context window of this model.', code: 'x' }
    const model = new MockLanguageModelV4({
      doStream: (call) => {
        asked += 1
        if (asked > 1) return scriptedModel(['Better.']).doStream(call)
        return Promise.resolve({
          stream: convertArrayToReadableStream<LanguageModelV4StreamPart>([
            { type: 'stream-start', warnings: [] },
            { type: 'error', error: { ...error, code: 'context_length_exceeded' } },
          ]),
        })
      },
    })
    const { api } = await serveChat({ model })
    expect(await readEvents(await rawChat(api).post(history)).rest()).toContain('Better.')
  })

  test('says so, and what to do, where less is not enough', async () => {
    const { model, asked } = await strictProvider(() => FULL)
    const { api } = await serveChat({ model })
    const events = await readEvents(await rawChat(api).post(history)).rest()
    expect(events).toContain('too long for the model')
    expect(events).toContain('"details":{"kind":"context","isFinal":true}')
    expect(asked).toHaveLength(2)
  })

  test('is not asked again about what cannot be less', async () => {
    const { model, asked } = await strictProvider(() => FULL)
    const { api } = await serveChat({ model })
    await readEvents(await rawChat(api).post([userMessage('Hi')])).rest()
    expect(asked).toHaveLength(1)
  })
})

test.each([
  [400, 'prompt is too long: 210000 tokens > 200000 maximum', 200_000],
  [400, 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000', 200_000],
  [
    413,
    '{"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}',
    undefined,
  ],
  [400, FULL.message, 8_192],
  [
    400,
    'Your input exceeds the context window of this model. Please adjust your input.',
    undefined,
  ],
  [
    400,
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    1_048_576,
  ],
  [
    400,
    'Prompt contains 40000 tokens, too large for model with 32768 maximum context length',
    undefined,
  ],
  [
    400,
    "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
    131_072,
  ],
  [400, 'Please reduce the length of the messages or completion.', undefined],
  [400, 'the request exceeds the available context size, try increasing it', undefined],
  [400, 'Your request exceeded model token limit: 262144', 262_144],
  [400, 'Range of input length should be [1, 30720]', undefined],
  [400, "This endpoint's maximum context length is 128,000 tokens.", 128_000],
])('status %i “%s” is read as a full context', (statusCode, message, maxTokens) => {
  const error = new APICallError({ message, statusCode, url: 'http://a', requestBodyValues: {} })
  expect(readRefusal(error)).toEqual({ type: 'full', maxTokens })
})

test.each([
  [429, 'Rate limit reached: too many tokens per minute'],
  [401, 'Invalid key for the context window'],
  [500, 'maximum context length'],
])('status %i “%s” is none', (statusCode, message) => {
  const error = new APICallError({ message, statusCode, url: 'http://a', requestBodyValues: {} })
  expect(readRefusal(error)).toBeUndefined()
})
