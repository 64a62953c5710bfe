import { jsonSchema, tool, type UIMessage } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { expect, test } from 'vitest'
import { rawChat, readEvents } from '../../test/raw-chat.ts'
import { scriptedModel } from '../../test/scripted-model.ts'
import { serveChat } from '../../test/serve-chat.ts'
import { modelTransport } from '../chat/model-transport.ts'
import type { SummaryRequest } from './summary-options.ts'
import { countPrompt, estimateTokens, tokensOfJson } from './estimate-tokens.ts'

const WINDOW = 32_000

const read = tool({
  description: 'Reads a file.',
  inputSchema: jsonSchema<{ path: string }>({ type: 'object' }),
  execute: ({ path }) => `${path}: ${'line of text '.repeat(300)}`,
})

/** Its prompts' sizes, as the model would count them. */
function countingModel() {
  const sizes: number[] = []
  const prompts: string[] = []
  const model = new MockLanguageModelV4({
    doStream: (call) => {
      sizes.push(countPrompt(call.prompt, estimateTokens) + tokensOfJson(call.tools))
      prompts.push(JSON.stringify(call.prompt))
      return scriptedModel(['Understood.']).doStream(call)
    },
  })
  return { model, sizes, prompts }
}

/** A conversation of so many messages, with files and tools, that ends with a question. */
function conversation(length: number): UIMessage[] {
  return Array.from({ length }, (_, index): UIMessage => {
    const id = `m${index}`
    const text = {
      type: 'text' as const,
      text: `Message ${index}. ${'Some words of it. '.repeat(25)}`,
    }
    if (index % 2 === 0) {
      const bytes = 'A'.repeat(index % 10 === 0 ? 30_000 : 0)
      const url = `data:audio/ogg;base64,${bytes}`
      const file = { type: 'file' as const, mediaType: 'audio/ogg', filename: 'voice.ogg', url }
      return { id, role: 'user', parts: bytes === '' ? [text] : [text, file] }
    }
    const output = `${index}: ${'line of text '.repeat(300)}`
    const call = {
      type: 'tool-read' as const,
      toolCallId: `call-${index % 7}`,
      state: 'output-available' as const,
      input: { path: `${index}.txt` },
      output,
    }
    const start = { type: 'step-start' as const }
    return { id, role: 'assistant', parts: [start, call, start, text] }
  })
}

test('a conversation of 500 messages that is summed up as it grows stays within it too', async () => {
  const { model, sizes, prompts } = countingModel()
  let written = 0
  const write = ({ transcript, before = '' }: SummaryRequest) => {
    written += 1
    const last = /Message (\d+)\.[^\n]*$/.exec(transcript)?.[1]
    return `Summary ${written}, up to message ${last}, after ${before.length} characters.`
  }
  const context = { maxTokens: WINDOW, summary: { write } }
  const transport = modelTransport({ model, tools: { read }, context })
  const messages: UIMessage[] = []
  for (const message of conversation(501)) {
    messages.push(message)
    if (message.role !== 'user') continue
    const stream = await transport.sendMessages({
      trigger: 'submit-message',
      chatId: 'c',
      messageId: undefined,
      messages,
      abortSignal: undefined,
    })
    // The answer keeps it, as that of an engine does.
    for await (const chunk of stream) {
      if (chunk.type !== 'data-assent-summary') continue
      messages.push({ id: `s${messages.length}`, role: 'assistant', parts: [chunk] })
    }
    const prompt = prompts.at(-1) ?? ''
    expect(prompt).toContain(message.parts[0]?.type === 'text' ? message.parts[0].text : '')
    // Whatever is not there any more, the summary stands for.
    expect(prompt).not.toContain('messages were left out')
    expect(prompt.includes(`> Summary ${written}, up to message`)).toBe(written > 0)
  }
  const shown = sizes.filter((_, at) => at % 10 === 0).join(' ')
  process.stdout.write(`prompts with ${written} summaries, in tokens: ${shown}\n`)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(WINDOW)
  expect(written).toBeGreaterThan(1)
  expect(written).toBeLessThan(20)
})

test('a conversation of 500 messages stays within a window of 32,000 tokens', async () => {
  const { model, sizes, prompts } = countingModel()
  const context = { maxTokens: WINDOW }
  const { api } = await serveChat({ model, tools: { read }, context })
  const transport = modelTransport({ model, tools: { read }, context })
  for (let length = 1; length <= 501; length += 20) {
    const messages = conversation(length)
    const events = await readEvents(await rawChat(api).post(messages)).rest()
    expect(events).toContain('Understood.')
    const stream = await transport.sendMessages({
      trigger: 'submit-message',
      chatId: 'c',
      messageId: undefined,
      messages,
      abortSignal: undefined,
    })
    for await (const chunk of stream) expect(chunk.type).not.toBe('error')
    // The question is what it is asked, and what was said just before is there.
    for (const prompt of prompts.splice(0)) {
      expect(prompt).toContain(`Message ${length - 1}.`)
      expect(prompt).toContain(`Message ${Math.max(0, length - 2)}.`)
    }
  }
  process.stdout.write(`prompts of up to 501 messages, in tokens: ${sizes.join(' ')}\n`)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(WINDOW)
  expect(Math.max(...sizes)).toBeGreaterThan(WINDOW / 2)
})
