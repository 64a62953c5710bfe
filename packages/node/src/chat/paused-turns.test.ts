import type { LanguageModelV4Prompt, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { continuationPlugin } from '@assent/engine/continuation'
import { toolPlugin } from '@assent/engine'
import { jsonSchema, tool } from 'ai'
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test'
import { expect, test } from 'vitest'
import { connectEngine } from '../../test/chat-client.ts'
import { streamOf } from '../../test/kills/model-answer.ts'
import { rawChat, readEvents, userMessage } from '../../test/raw-chat.ts'
import { serveChat } from '../../test/serve-chat.ts'

/** A provider that is never done with its own tool. */
async function startPausing(options: Partial<Parameters<typeof serveChat>[0]> = {}) {
  let asked = 0
  const prompts: LanguageModelV4Prompt[] = []
  const model = new MockLanguageModelV4({
    doStream: async ({ prompt }) => {
      prompts.push(prompt)
      const toolCallId = `s${++asked}`
      const call = { toolCallId, toolName: 'search', input: '{}', providerExecuted: true }
      const parts = streamOf('stop', [{ type: 'tool-call', ...call }]).map((part) =>
        part.type === 'finish'
          ? { ...part, finishReason: { unified: 'stop' as const, raw: 'pause_turn' } }
          : part,
      )
      return { stream: convertArrayToReadableStream<LanguageModelV4StreamPart>(parts) }
    },
  })
  const inputSchema = jsonSchema<object>({ type: 'object' })
  const outputSchema = jsonSchema<object>({ type: 'object' })
  const search = tool({
    type: 'provider',
    isProviderExecuted: true,
    supportsDeferredResults: true,
    id: 'mock.search',
    args: {},
    inputSchema,
    outputSchema,
  })
  const served = await serveChat({ model, tools: { search }, ...options })
  return { ...served, prompts, asked: () => asked }
}

test('pauses of a turn have one budget, whoever goes on: the page, with the handler behind it', async () => {
  const { api, asked } = await startPausing()
  const plugins = [toolPlugin({ defaultApproval: 'approved' }), continuationPlugin()]
  const { engine } = connectEngine(api, {}, { plugins })
  expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
  expect(engine.getState().turn?.notice).toBe('max-continuations')
  expect(asked()).toBe(11)
})

test('for a page that does not go on by itself the handler does, as often as its steps allow', async () => {
  const { api, asked } = await startPausing()
  const events = await readEvents(await rawChat(api).post([userMessage('go')])).rest()
  expect(events).toContain('"rawFinishReason":"pause_turn"')
  expect(asked()).toBe(10)
})

test.each(['page', 'handler'])(
  'a conversation that is over its budget is the same in all requests of a paused turn (%s)',
  async (by) => {
    const { api, prompts } = await startPausing({ context: { maxTokens: 1_000 } })
    const words = 'words '.repeat(200)
    const history = ['1', '2', '3', '4', '5', '6'].map((n) => userMessage(`${n} ${words}`))
    if (by === 'page') {
      const plugins = [toolPlugin({ defaultApproval: 'approved' }), continuationPlugin()]
      const { engine } = connectEngine(api, {}, { plugins, messages: history })
      await engine.sendMessage('go')
    } else await readEvents(await rawChat(api).post([...history, userMessage('go')])).rest()
    const [first = [], ...rest] = prompts
    expect(rest.length).toBeGreaterThan(8)
    expect(JSON.stringify(first)).toContain('earlier messages were left out')
    rest.forEach((prompt, index) => {
      const before = prompts[index] ?? []
      expect(prompt.slice(0, before.length)).toEqual(before)
      expect(prompt.length).toBeGreaterThan(before.length)
    })
  },
)
