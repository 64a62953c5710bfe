import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createApi } from './api.ts'
import { DEMO_MODEL_LABEL } from './demo-model.ts'
import { chooseModel } from './model.ts'
import { createConversation } from './testing/conversation.ts'
import {
  type EndpointAnswer,
  type EndpointRequest,
  type OpenAIEndpoint,
  startOpenAIEndpoint,
} from './testing/openai-endpoint.ts'
import { serve, type Served } from './testing/serve.ts'

const word = () => crypto.randomUUID().slice(0, 8)
const close: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const stop of close.splice(0)) await stop()
})

describe('the model', () => {
  test('is the demo model by default', () => {
    expect(chooseModel({})).toMatchObject({ mode: 'demo', label: DEMO_MODEL_LABEL })
    expect(chooseModel({ ASSENT_BASE_URL: ' ', ASSENT_DEMO_SPEED: '20' }).mode).toBe('demo')
  })

  test('is that of an endpoint when there is one, and the label names both', () => {
    const chosen = chooseModel({
      ASSENT_BASE_URL: 'http://user:secret@127.0.0.1:11434/v1',
      ASSENT_MODEL: 'llama3',
    })
    expect(chosen).toMatchObject({ mode: 'endpoint', label: 'llama3 at 127.0.0.1:11434' })
    expect(chosen.model.modelId).toBe('llama3')
  })

  test.each<[Record<string, string>, RegExp]>([
    [{ ASSENT_BASE_URL: 'http://127.0.0.1/v1' }, /ASSENT_MODEL is not\. Set it to/],
    [{ ASSENT_BASE_URL: 'nonsense', ASSENT_MODEL: 'm' }, /ASSENT_BASE_URL must be an http/],
    [{ ASSENT_BASE_URL: 'file:///v1', ASSENT_MODEL: 'm' }, /ASSENT_BASE_URL must be an http/],
    [{ ASSENT_MODEL: 'm' }, /ASSENT_MODEL is set, but ASSENT_BASE_URL is not/],
    [{ ASSENT_API_KEY: 'k' }, /ASSENT_API_KEY is set, but ASSENT_BASE_URL is not/],
    [{ ASSENT_DEMO_SPEED: 'fast' }, /ASSENT_DEMO_SPEED must be a positive number/],
    [{ ASSENT_DEMO_SPEED: '0' }, /ASSENT_DEMO_SPEED must be a positive number/],
  ])('is refused with a clear message: %o', (env, message) => {
    expect(() => chooseModel(env)).toThrow(message)
  })
})

describe('an OpenAI-compatible endpoint', () => {
  async function start(
    answer: (request: EndpointRequest, index: number) => EndpointAnswer,
  ): Promise<{ endpoint: OpenAIEndpoint; served: Served }> {
    const endpoint = await startOpenAIEndpoint(answer)
    const chosen = chooseModel({
      ASSENT_BASE_URL: endpoint.url,
      ASSENT_API_KEY: 'sk-test',
      ASSENT_MODEL: 'scripted',
    })
    const served = await serve(createApi({ chosen }))
    close.push(served.close, endpoint.close)
    return { endpoint, served }
  }

  test('is offered the tools of both sides and speaks of their results', async () => {
    const [title, secret] = [word(), word()]
    const { endpoint, served } = await start(({ messages }, index) => {
      if (index === 0) {
        return {
          reasoning: 'Two calls will do.',
          text: 'I will do both.',
          calls: [
            { id: 'call_0', name: 'read_note', input: { title } },
            {
              id: 'call_1',
              name: 'send_report',
              input: { to: 'ada@example.org', subject: 's', body: secret },
            },
          ],
        }
      }
      const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
      return { text: `Results: ${results.join(' | ')}` }
    })
    const chat = createConversation(served.url, {
      read_note: {
        description: 'Reads a note',
        inputSchema: z.object({ title: z.string() }),
        execute: () => ({ content: secret }),
      },
    })
    await chat.say('Do both')
    expect(chat.calls('read_note')[0]).toMatchObject({ input: { title } })
    expect(chat.calls('send_report')[0]).toMatchObject({ state: 'approval-requested' })
    expect(endpoint.requests[0]).toMatchObject({
      model: 'scripted',
      headers: { authorization: 'Bearer sk-test' },
    })
    expect(endpoint.requests[0]?.tools.toSorted()).toEqual([
      'delete_backup',
      'read_note',
      'send_report',
      'server_time',
    ])

    chat.decide('send_report', true)
    await chat.runHere()
    await chat.post()
    const outbox = z
      .object({ reports: z.array(z.object({ receipt: z.string(), body: z.string() })) })
      .parse(await (await fetch(`${served.url}/api/outbox`)).json())
    const [report] = outbox.reports
    expect(report?.body).toBe(secret)
    expect(chat.answer()).toContain(report?.receipt)
    expect(chat.answer()).toContain(`{"content":"${secret}"}`)
    expect(chat.errors).toEqual([])
    expect(JSON.stringify(chat.messages)).toContain('Two calls will do.')
  })

  test('is told that a person denied a call, and why', async () => {
    const reason = word()
    const { endpoint, served } = await start((_, index) =>
      index === 0
        ? { calls: [{ id: 'c', name: 'delete_backup', input: { name: 'nightly-17' } }] }
        : { text: 'As you wish.' },
    )
    const chat = createConversation(served.url)
    await chat.say('Delete it')
    chat.decide('delete_backup', false, reason)
    await chat.post()
    expect(endpoint.requests[1]?.messages.at(-1)).toEqual({
      role: 'tool',
      tool_call_id: 'c',
      content: `The person denied this call; it did not run. Reason: ${reason}`,
    })
    expect(chat.answer()).toBe('As you wish.')
  })

  test.each<[string, EndpointAnswer, string, RegExp]>([
    [
      'refuses',
      { status: 401, message: 'Invalid key' },
      '',
      /^The model at 127\.0\.0\.1:\d+ answered with status 401: Invalid key$/,
    ],
    ['fails in its stream', { text: 'So', streamError: 'Out of memory' }, 'So', /^Out of memory$/],
  ])('that %s is a readable error', async (_, answer, said, message) => {
    const { served } = await start(() => answer)
    const chat = createConversation(served.url)
    await chat.say('Hello')
    expect(chat.errors).toEqual([expect.stringMatching(message)])
    expect(chat.answer()).toBe(said)
    expect(served.errors).toEqual([])
  })

  test.each([
    ['in the middle of its answer', 'So far'],
    ['before its first word', ''],
  ])('that cuts the connection %s is a readable error', async (_, text) => {
    const cut = Promise.withResolvers<void>()
    const { served } = await start(() => ({ text, cut: cut.promise }))
    const chat = createConversation(served.url)
    const answered = chat.say('Hello')
    await expect.poll(() => chat.answer()).toBe(text)
    cut.resolve()
    await answered
    expect(chat.answer()).toBe(text)
    expect(chat.errors).toEqual([
      'The connection to the model was cut in the middle of its answer. Try again.',
    ])
  })

  test('that is not there is a readable error', async () => {
    const endpoint = await startOpenAIEndpoint(() => ({ text: '' }))
    await endpoint.close()
    const chosen = chooseModel({ ASSENT_BASE_URL: endpoint.url, ASSENT_MODEL: 'm' })
    const served = await serve(createApi({ chosen }))
    close.push(served.close)
    const chat = createConversation(served.url)
    await chat.say('Hello')
    expect(chat.errors).toEqual([expect.stringMatching(/^The model at .* cannot be reached: /)])
  }, 20_000)

  test('is let go of when the answer is stopped', async () => {
    const { endpoint, served } = await start(() => ({ text: 'Wait', hang: true }))
    const chat = createConversation(served.url)
    const answered = chat.say('Hello')
    await expect.poll(() => chat.answer()).toBe('Wait')
    await chat.stop()
    await answered
    await endpoint.clientGone
    expect(served.errors).toEqual([])
  })
})
