import { jsonSchema, tool } from 'ai'
import { describe, expect, onTestFinished, test } from 'vitest'
import { connectEngine } from '../../test/chat-client.ts'
import { rawChat, readEvents, userMessage } from '../../test/raw-chat.ts'
import { scriptedModel, type ModelStep } from '../../test/scripted-model.ts'
import { serveChat } from '../../test/serve-chat.ts'
import { auditLog } from '../audit/sqlite-audit.ts'
import { openDatabase } from '../sqlite/open-database.ts'
import type { AnswerEnd, ChatHandlerOptions, ToolCallEvent } from './chat-options.ts'

const inputSchema = jsonSchema<{ to: string }>({ type: 'object' })
const steps: ModelStep[] = [
  [
    ['1', 'look', { to: 'a' }],
    ['2', 'send', { to: 'b' }],
  ],
  'Done.',
]

/** A server with a free tool and one that asks, and what its hooks were told. */
async function start(more: Partial<ChatHandlerOptions> = {}) {
  const events: (ToolCallEvent & { chatId: string })[] = []
  const ends: AnswerEnd[] = []
  const served = await serveChat({
    model: scriptedModel(steps),
    tools: {
      look: tool({ inputSchema, execute: ({ to }) => `${to} looks fine` }),
      send: tool({
        inputSchema,
        execute: (): string => {
          throw new Error('no such address')
        },
      }),
    },
    toolApproval: { send: 'user-approval' },
    onToolCall: (event, { chatId }) => events.push({ ...event, chatId }),
    onFinish: (end) => ends.push(end),
    ...more,
  })
  return { ...served, events, ends }
}

describe('what a chat tells of', () => {
  test('are the calls that run, and not those that are held', async () => {
    const { api, events } = await start()
    const page = connectEngine(api, {}, { id: 'chat' })
    await page.engine.sendMessage('go')
    expect(events).toEqual([])
    await page.resume({ toolCallId: '2' })
    await page.completed()
    expect(events.map(({ toolName, phase }) => `${toolName} ${phase}`).toSorted()).toEqual([
      'look end',
      'look start',
      'send failed',
      'send start',
    ])
    expect(events).toContainEqual({
      chatId: 'chat',
      toolCallId: '1',
      toolName: 'look',
      input: { to: 'a' },
      phase: 'end',
      output: 'a looks fine',
      durationMs: expect.any(Number),
    })
  })

  test('is how each answer ended, and what it cost', async () => {
    const { api, ends } = await start()
    const page = connectEngine(api)
    await page.engine.sendMessage('go')
    await page.resume({ toolCallId: '2' })
    await page.completed()
    expect(ends).toMatchObject([
      { outcome: 'finished', finishReason: 'tool-calls', usage: { totalTokens: 2 } },
      { outcome: 'finished', finishReason: 'stop', usage: { totalTokens: 2 } },
    ])
    const failed = await start({ model: () => 'no such model' })
    await readEvents(await rawChat(failed.api).post([userMessage('Hi')])).rest()
    expect(failed.ends).toMatchObject([{ outcome: 'failed' }])
    expect(failed.errors).toHaveLength(1)
  })

  test('is noted in an audit', async () => {
    const database = openDatabase(':memory:')
    onTestFinished(() => database.close())
    const audit = auditLog(database)
    const { api } = await start({ audit })
    const page = connectEngine(api, {}, { id: 'chat' })
    await page.engine.sendMessage('go')
    expect(await audit.calls()).toMatchObject([{ toolName: 'send', status: 'queued' }])
    await page.resume({ toolCallId: '2' })
    await page.completed()
    const rows = database.sqlite
      .prepare('SELECT tool_name, status, output_text, error FROM tool_calls ORDER BY tool_name')
      .all()
    expect(rows).toMatchObject([
      { tool_name: 'look', status: 'done', output_text: 'a looks fine' },
      { tool_name: 'send', status: 'failed', error: expect.stringContaining('no such address') },
    ])
    expect(await audit.query({ conversationId: 'chat' })).not.toEqual([])
    expect(await audit.verify()).toMatchObject({ valid: true })
  })
})

test('tools are wrapped for the request that they are used in', async () => {
  const seen: string[] = []
  const { api } = await start({
    wrapTools: (tools, { chatId }) => {
      seen.push(`${chatId}: ${Object.keys(tools).join()}`)
      return {}
    },
  })
  const page = connectEngine(api, {}, { id: 'chat' })
  await page.engine.sendMessage('go')
  expect(seen).toEqual(['chat: look,send'])
  expect(page.calls().map(({ state }) => state)).toEqual(['output-error', 'output-error'])
})
