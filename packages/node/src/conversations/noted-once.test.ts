import { fingerprintOfCall, isToolCallPart } from '@assent/engine'
import { namespaceOf } from '@assent/engine/storage'
import { jsonSchema, tool, type JSONValue, type ToolSet } from 'ai'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { answered, ask, asked, decided, startAsking } from '../../test/asking-server.ts'
import { auditLog } from '../audit/sqlite-audit.ts'
import type { ChatHandlerOptions } from '../chat/chat-options.ts'
import { openDatabase, type AssentDatabase } from '../sqlite/open-database.ts'
import { sqliteConversations } from '../sqlite/sqlite-conversations.ts'

let database: AssentDatabase

beforeEach(() => {
  database = openDatabase(':memory:')
})
afterEach(() => database.close())

const NAMESPACE = namespaceOf('chat')
const MESSAGE = 'message/00000001'

/** Conversations with an audit of their own, as the documentation shows them. */
function pageOf() {
  const conversations = sqliteConversations(database, { audit: auditLog(database) })
  return {
    /** Stores a decision as a page does. */
    decide: (record: Readonly<Record<string, JSONValue>>) =>
      conversations.writeFor('page of ada', NAMESPACE, {
        put: new Map([['confirmation/00000001', record]]),
      }),
    /** Stores the call as a page does. */
    async write(more: Readonly<Record<string, JSONValue>>, toolName = 'send') {
      const toolCallId = toolName === 'send' ? '1' : toolName
      const part = { type: `tool-${toolName}`, toolCallId, input: { to: 'ada' }, ...more }
      const put = new Map<string, JSONValue>([
        [MESSAGE, { id: 'm', role: 'assistant' }],
        [`${MESSAGE}/00000000`, part],
      ])
      await conversations.writeFor('page of ada', NAMESPACE, { put })
    },
  }
}

const waiting = { state: 'approval-requested', approval: { id: 'a' } }
const done = { state: 'output-available', output: 'receipt 1' }
const statuses = async () =>
  (await auditLog(database).calls()).map(({ toolName, status }) => [toolName, status])

const send = tool({
  inputSchema: jsonSchema<{ to: string }>({ type: 'object' }),
  execute: () => 'receipt 1',
})

test.each<[string, Partial<ChatHandlerOptions>]>([
  ['given as they are', {}],
  ['made for each request', { tools: (): ToolSet => ({ send }) }],
])(
  'a call is noted once by the chat handler and the conversations, with tools %s',
  async (_, options) => {
    const server = await startAsking([ask, 'Sent.'], {
      database,
      audit: auditLog(database),
      ...options,
    })
    const page = pageOf()
    const question = await asked(server)
    await page.write(waiting)
    expect((await statuses()).length).toBeLessThan(2)
    const messages = decided(question, true)
    await answered(messages, await server.chat.post(messages))
    await page.write(done)
    expect(await statuses()).toEqual([['send', 'done']])
  },
)

test('a call of before a restart is noted once, although nothing was asked of the server since', async () => {
  await startAsking([ask], { database, audit: auditLog(database) })
  await pageOf().write(waiting)
  expect(await statuses()).toEqual([])
})

test('a call that the page runs, or that no audit of the server notes, is noted by the conversations', async () => {
  await startAsking([ask], { database, audit: auditLog(database) })
  await pageOf().write(done, 'local')
  expect(await statuses()).toEqual([['local', 'done']])
  const other = openDatabase(':memory:')
  const free = { tools: { quiet: send }, toolApproval: {} }
  await startAsking([ask], { ...free, database: other, audit: auditLog(other) })
  await startAsking([ask], { ...free, database })
  await pageOf().write(done, 'quiet')
  expect(await statuses()).toContainEqual(['quiet', 'done'])
  other.close()
})

test.each([true, false])(
  'a decision that a page has stored is noted once: %s',
  async (approved) => {
    const server = await startAsking([ask, 'Well.'], { database, audit: auditLog(database) })
    const page = pageOf()
    const messages = decided(await asked(server), approved)
    const message = messages.at(-1)
    const part = message?.parts.find((one) => isToolCallPart(one))
    if (!message || !part) throw new Error('Nothing was decided.')
    const record = {
      id: 'of the page',
      conversationId: 'chat',
      messageId: message.id,
      step: message.parts.filter(({ type }) => type === 'step-start').length,
      toolCallId: part.toolCallId,
      toolName: 'send',
      fingerprint: fingerprintOfCall(part),
      outcome: approved ? 'yes_always' : 'no',
      reason: 'as it is',
      at: 1,
    }
    await page.decide(record)
    await answered(messages, await server.chat.post(messages))
    const audit = auditLog(database)
    const decisions = await audit.query({ kind: 'decision' })
    expect(decisions.map(({ payload }) => [payload['who'], payload['reason']])).toEqual([
      ['page of ada', 'as it is'],
    ])
    // It leads to its call.
    const [call] = await audit.calls()
    expect(decisions[0]?.payload['callId']).toBe(call?.id)
  },
)

test('a denial is noted once, by whoever hears of it first', async () => {
  const server = await startAsking([ask, 'Well.'], { database, audit: auditLog(database) })
  const page = pageOf()
  const messages = decided(await asked(server), false)
  const denied = { state: 'output-denied', approval: { id: 'a', approved: false } }
  await page.write(denied)
  const calls = () => auditLog(database).calls()
  expect(await calls()).toMatchObject([{ status: 'failed', outcome: 'denied' }])
  await answered(messages, await server.chat.post(messages))
  await page.write(denied)
  expect(await calls()).toMatchObject([{ status: 'failed', outcome: 'denied' }])
})
