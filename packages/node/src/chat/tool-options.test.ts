import { assentMetadata, riskOf, waitingCalls } from '@assent/engine'
import { assert, expect, test } from 'vitest'
import { ask, asked, callsOf, startAsking } from '../../test/asking-server.ts'
import { connectEngine } from '../../test/chat-client.ts'
import { scriptedModel } from '../../test/scripted-model.ts'
import { auditLog } from '../audit/sqlite-audit.ts'
import { openDatabase } from '../sqlite/open-database.ts'
import type { ChatHandlerOptions } from './chat-options.ts'
import { createChatHandler } from './create-chat-handler.ts'

const toolOptions: ChatHandlerOptions['toolOptions'] = {
  send: { risk: 'send', summary: ({ to }) => `Send it to ${to}` },
}

test('what the server says of a tool is on the card, and in the question', async () => {
  const server = await startAsking([ask, ask], { toolOptions })
  const page = connectEngine(server.api)
  await page.engine.sendMessage('go')
  expect(waitingCalls(page.engine.getState())).toMatchObject([
    { summary: 'Send it to ada', risk: 'send' },
  ])
  const [part] = callsOf(await asked(server))
  expect(part?.approval?.descriptor).toMatchObject({ summary: 'Send it to ada', risk: 'send' })
})

test('what a call would do is in its question, as its tool says, or as the app says of all of them', async () => {
  const preview: NonNullable<ChatHandlerOptions['toolOptions']>[string] = {
    preview: ({ to }, { toolCallId }) => ({
      kind: 'text',
      text: `${toolCallId}: a letter to ${to}`,
    }),
  }
  const questionWith = async (more: Partial<ChatHandlerOptions>) => {
    const server = await startAsking([ask], { toolOptions: { send: preview }, ...more })
    const [part] = callsOf(await asked(server))
    return part?.approval?.descriptor
  }
  const ofTool = { preview: { kind: 'text', text: '1: a letter to ada' } }
  expect(await questionWith({})).toMatchObject(ofTool)
  expect(await questionWith({ previewCall: () => undefined })).toMatchObject(ofTool)
  expect(await questionWith({ previewCall: () => 'of the app' })).toMatchObject({
    preview: 'of the app',
  })
})

test('it is said of a call that runs unasked, too, and a risk of read lets one run', async () => {
  const read: ChatHandlerOptions['toolOptions'] = {
    send: { risk: 'read', summary: ({ to }) => `Look at ${to}` },
  }
  const server = await startAsking([ask, 'Seen.'], { toolApproval: {}, toolOptions: read })
  const page = connectEngine(server.api)
  expect(await page.engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
  const [part] = page.calls()
  expect(assentMetadata(part!).summary).toBe('Look at ada')
  expect(riskOf(part!)).toBe('read')
  expect(server.effects).toEqual(['send ada'])
})

test('a summary that throws is reported, and the call asks without one', async () => {
  const failing: ChatHandlerOptions['toolOptions'] = {
    send: {
      summary: () => {
        throw new Error('no words')
      },
    },
  }
  const server = await startAsking([ask], { toolOptions: failing })
  expect(callsOf(await asked(server))).toMatchObject([{ state: 'approval-requested' }])
  expect(server.errors).toMatchObject([{ message: 'no words' }])
})

test.each([
  ['unasked', { toolApproval: {}, defaultApproval: 'approved' }],
  ['approved', {}],
] as const)(
  'an output that is no success says so in the page and in the audit: %s',
  async (how, more) => {
    const database = openDatabase(':memory:')
    const audit = auditLog(database)
    const failure = (output: unknown) => (output === 'receipt 1' ? 'Not delivered' : undefined)
    const server = await startAsking([ask, 'Told.'], {
      ...more,
      audit,
      toolOptions: { send: { ...toolOptions?.['send'], failure } },
    })
    const page = connectEngine(server.api)
    await page.engine.sendMessage('go')
    if (how === 'approved') {
      const [{ toolCallId } = assert.fail()] = waitingCalls(page.engine.getState())
      await page.resume({ toolCallId })
    }
    await page.completed()
    const [part] = page.calls()
    expect(assentMetadata(part!)).toMatchObject({
      failure: 'Not delivered',
      summary: 'Send it to ada',
    })
    expect(await audit.calls()).toMatchObject([{ outcome: 'error', error: 'Not delivered' }])
    await database.close()
  },
)

test('a failure that throws is reported, and the output is what it is', async () => {
  const server = await startAsking([ask, 'Told.'], {
    toolApproval: {},
    defaultApproval: 'approved',
    toolOptions: {
      send: {
        failure() {
          throw new Error('cannot tell')
        },
      },
    },
  })
  const page = connectEngine(server.api)
  expect(await page.engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
  expect(page.calls()).toMatchObject([{ state: 'output-available', output: 'receipt 1' }])
  expect(server.errors).toMatchObject([{ message: 'cannot tell' }])
})

test('a model that is missing is an error when the handler is made', () => {
  const make = () => createChatHandler({ tools: {} } as never)
  expect(make).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
})

test.each([
  [{ sned: { risk: 'send' } }, 'unknown_tool'],
  [{ send: { risk: 'high' } }, 'invalid_argument'],
])('a mistake in it is an error when the handler is made: %j', (mistaken, code) => {
  const make = () =>
    // What JavaScript lets through.
    createChatHandler({
      model: scriptedModel([]),
      tools: { send: {} },
      toolOptions: mistaken,
    } as never)
  expect(make).toThrow(expect.objectContaining({ name: 'ChatHandlerError', code }))
})
