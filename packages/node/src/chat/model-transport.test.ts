import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { createMessageEngine, isToolCallPart, toolPlugin } from '@assent/engine'
import { untilState } from '@assent/engine/testing'
import {
  APICallError,
  InvalidResponseDataError,
  JSONParseError,
  jsonSchema,
  tool,
  type UIMessage,
} from 'ai'
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test'
import { describe, expect, onTestFinished, test } from 'vitest'
import { scriptedModel } from '../../test/scripted-model.ts'
import { modelTransport, type ModelTransportOptions } from './model-transport.ts'

function connect(options: ModelTransportOptions, more: Parameters<typeof toolPlugin>[0] = {}) {
  const engine = createMessageEngine({
    transport: modelTransport(options),
    plugins: [toolPlugin({ defaultApproval: 'approved', ...more })],
  })
  onTestFinished(() => engine.dispose())
  return engine
}

const text = (message: UIMessage | undefined) =>
  message?.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')

function pathTool(runs: string[]) {
  return tool({
    inputSchema: jsonSchema<{ path: string }>({ type: 'object' }),
    needsApproval: true,
    execute: ({ path }) => {
      runs.push(path)
      return `${path} is written`
    },
  })
}

/** A model that says something and then goes on as it is told. */
function speakingModel(
  rest: (
    controller: ReadableStreamDefaultController<LanguageModelV4StreamPart>,
    signal: AbortSignal | undefined,
  ) => void,
): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    doStream: async ({ abortSignal }) => ({
      stream: new ReadableStream<LanguageModelV4StreamPart>({
        start(controller) {
          controller.enqueue({ type: 'stream-start', warnings: [] })
          controller.enqueue({ type: 'text-start', id: 't' })
          controller.enqueue({ type: 'text-delta', id: 't', delta: 'So far' })
          rest(controller, abortSignal)
        },
      }),
    }),
  })
}

describe('a model in process', () => {
  test('answers a turn of which the engine decides and runs the calls', async () => {
    const runs: string[] = []
    const tools = { write: pathTool(runs) }
    const model = scriptedModel([[['1', 'write', { path: 'a' }]], 'It is written.'])
    const engine = connect({ model, tools, instructions: 'Be brief.' }, { tools })
    expect(await engine.sendMessage('write a')).toMatchObject({ requestState: 'paused' })
    expect(runs).toEqual([])
    const [call] = engine.getState().messages.at(-1)?.parts.filter(isToolCallPart) ?? []
    expect(call).toMatchObject({
      state: 'approval-requested',
      approval: { id: expect.stringMatching(/^assent-/) },
    })

    await engine.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '1' })
    const { messages } = await untilState(engine, (state) => state.requestState === 'completed')
    expect(runs).toEqual(['a'])
    expect(text(messages.at(-1))).toBe('It is written.')
    expect(engine.getState().turn).toMatchObject({
      finishReason: 'stop',
      rawFinishReason: 'stop',
      // Of both requests.
      usage: { inputTokens: 2, outputTokens: 2, totalTokens: 4 },
    })
    const [first, second] = model.doStreamCalls
    expect(first?.prompt[0]).toEqual({ role: 'system', content: 'Be brief.' })
    expect(first?.tools).toMatchObject([{ name: 'write' }])
    expect(second?.prompt.at(-1)).toMatchObject({
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: '1', output: { value: 'a is written' } }],
    })
  })

  test('is told that a person denied a call', async () => {
    const tools = { write: pathTool([]) }
    const model = scriptedModel([[['1', 'write', { path: 'a' }]], 'Then not.'])
    const engine = connect({ model, tools }, { tools })
    await engine.sendMessage('write a')
    await engine.runPluginCommand('tool', 'resumeToolCall', {
      toolCallId: '1',
      outcome: 'no',
      reason: 'not today',
    })
    await untilState(engine, (state) => state.requestState === 'completed')
    expect(JSON.stringify(model.doStreamCalls[1]?.prompt.at(-1))).toContain(
      'The person denied this call; it did not run. Reason: not today',
    )
  })

  test('is told that a rule denied a call, though a person said yes before', async () => {
    let verdict: 'user-approval' | 'denied' = 'user-approval'
    const tools = { write: pathTool([]) }
    const model = scriptedModel([[['1', 'write', { path: 'a' }]], 'Then not.'])
    const engine = connect({ model, tools }, { tools, toolApproval: { write: () => verdict } })
    await engine.sendMessage('write a')
    verdict = 'denied'
    await engine.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '1', outcome: 'yes' })
    await untilState(engine, (state) => state.requestState === 'completed')
    const told = JSON.stringify(model.doStreamCalls[1]?.prompt.at(-1))
    expect(told).toContain('A rule denied this call; it did not run.')
    expect(told).not.toContain('person')
  })

  test('is chosen, with its tools and instructions, by the request', async () => {
    const model = scriptedModel(['Hello.'])
    const engine = connect({
      model: ({ chatId }) => (chatId === '' ? 'no such model' : model),
      tools: async () => ({ write: pathTool([]) }),
      instructions: ({ messages }) => `There are ${messages.length}.`,
    })
    await engine.sendMessage('hi')
    expect(model.doStreamCalls[0]?.prompt[0]).toMatchObject({ content: 'There are 1.' })
    expect(model.doStreamCalls[0]?.tools).toMatchObject([{ name: 'write' }])
  })

  test('is reached by an abort', async () => {
    const aborted = Promise.withResolvers<void>()
    const spoke = Promise.withResolvers<void>()
    const model = speakingModel((_, signal) => {
      signal?.addEventListener('abort', () => aborted.resolve())
      spoke.resolve()
    })
    const engine = connect({ model })
    const turn = engine.sendMessage('go on for ever')
    await spoke.promise
    await engine.abort()
    await aborted.promise
    expect(await turn).toMatchObject({ requestState: 'aborted' })
  })
})

describe('a model that fails in process', () => {
  const apiError = (statusCode: number, responseHeaders: Record<string, string> = {}) =>
    new APICallError({
      message: 'No luck with sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH',
      url: 'https://api.example.com/v1',
      requestBodyValues: {},
      statusCode,
      responseHeaders,
    })

  test.each([
    [429, { 'retry-after': '7' }, true, 7000],
    [503, { 'retry-after-ms': '250' }, true, 250],
    [500, {}, true, undefined],
    [401, {}, false, undefined],
    [400, {}, false, undefined],
  ])('with status %i says whether to try again', async (status, headers, retryable, waits) => {
    const model = new MockLanguageModelV4({
      doStream: () => Promise.reject(apiError(status, headers)),
    })
    const engine = connect({ model, maxRetries: 0 })
    expect(await engine.sendMessage('hi')).toMatchObject({ requestState: 'error' })
    const { error } = engine.getState()
    expect(error).toMatchObject({ code: 'stream_error', retryable })
    expect(error?.details['status']).toBe(status)
    expect(error?.details['retryAfterMs']).toBe(waits)
    expect(error?.message).toContain(`The model at api.example.com answered with status ${status}`)
    expect(error?.message).not.toContain('abcdefghijkl')
  })

  test('is asked once more before that', async () => {
    const model = new MockLanguageModelV4({
      doStream: () => Promise.reject(apiError(503, { 'retry-after-ms': '1' })),
    })
    const engine = connect({ model })
    await engine.sendMessage('hi')
    expect(model.doStreamCalls).toHaveLength(2)
    expect(engine.getState().error).toMatchObject({ retryable: true, details: { status: 503 } })
  })

  test.each<[string, unknown, object]>([
    [
      'an overloaded provider',
      { type: 'overloaded_error', message: 'Overloaded' },
      { status: 503 },
    ],
    [
      'a cut connection',
      new TypeError('terminated', { cause: new Error('other side closed') }),
      { kind: 'cut' },
    ],
    ['half an event', new JSONParseError({ text: '{"id":', cause: undefined }), { kind: 'cut' }],
  ])('in the middle keeps what it said: %s', async (_, error, details) => {
    const model = speakingModel((controller) => {
      controller.enqueue({ type: 'error', error })
      controller.close()
    })
    const engine = connect({ model })
    expect(await engine.sendMessage('hi')).toMatchObject({ requestState: 'error' })
    expect(engine.getState().error).toMatchObject({ retryable: true, details })
    expect(text(engine.getState().messages.at(-1))).toBe('So far')
  })

  test('by something else than an answer says where to look', async () => {
    const data = undefined
    const error = new InvalidResponseDataError({ data, message: 'ended without a finish reason.' })
    const engine = connect({
      model: speakingModel((controller) => {
        controller.enqueue({ type: 'error', error })
        controller.close()
      }),
    })
    await engine.sendMessage('hi')
    expect(engine.getState().error?.message).toMatch(/empty or not whole.*a proxy or a login page/)
  })

  test('by throwing while it is read keeps what it said, too', async () => {
    const engine = connect({
      model: new MockLanguageModelV4({
        doStream: async () => ({
          stream: simulateReadableStream<LanguageModelV4StreamPart>({
            chunks: [
              { type: 'stream-start', warnings: [] },
              { type: 'text-start', id: 't' },
              { type: 'text-delta', id: 't', delta: 'So far' },
            ],
            initialDelayInMs: null,
            chunkDelayInMs: null,
          }).pipeThrough(
            new TransformStream({
              flush() {
                throw Object.assign(new Error('read'), { code: 'ECONNRESET' })
              },
            }),
          ),
        }),
      }),
    })
    await engine.sendMessage('hi')
    expect(engine.getState().error).toMatchObject({ retryable: true, details: { kind: 'cut' } })
    expect(text(engine.getState().messages.at(-1))).toBe('So far')
  })

  test('by taking longer than it may is worth another try', async () => {
    const engine = connect({ model: speakingModel(() => {}), timeout: { chunkMs: 20 } })
    await engine.sendMessage('hi')
    expect(engine.getState().error).toMatchObject({ retryable: true, details: { kind: 'timeout' } })
  })
})
