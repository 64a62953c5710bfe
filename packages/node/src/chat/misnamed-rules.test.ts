import { jsonSchema, tool } from 'ai'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { answered, ask, asked, callsOf, question, startAsking } from '../../test/asking-server.ts'
import { scriptedModel, type ModelStep } from '../../test/scripted-model.ts'
import type { ChatHandlerOptions } from './chat-options.ts'
import { createChatHandler } from './create-chat-handler.ts'

const inputSchema = jsonSchema<{ to: string }>({ type: 'object' })

afterEach(() => {
  vi.unstubAllEnvs()
})

/** A server that finds its tools by the request, with a typo in its rules. */
function startMistyped(steps: readonly ModelStep[] = [ask, ask]) {
  const ran: string[] = []
  const send = tool({ inputSchema, execute: ({ to }) => void ran.push(to) })
  const errors: unknown[] = []
  return startAsking(steps, {
    tools: () => ({ send }),
    toolApproval: { sned: 'denied' } as object,
    defaultApproval: 'approved',
    onError: (error) => errors.push(error),
  }).then((server) => ({ ...server, ran, reported: errors }))
}

describe('a rule of the server that names no tool', () => {
  test('is an error when the handler is made, where its tools are known', () => {
    const options: ChatHandlerOptions = {
      model: scriptedModel([]),
      tools: { send: tool({ inputSchema }) },
      toolApproval: { send: 'user-approval', sned: 'denied', pick: 'denied' },
    }
    expect(() => createChatHandler(options)).toThrow(
      expect.objectContaining({
        name: 'ChatHandlerError',
        code: 'unknown_tool',
        message: expect.stringContaining('toolApproval.sned, toolApproval.pick. There are: send.'),
      }),
    )
    const knownTools = ['sned', 'pick']
    expect(createChatHandler({ ...options, knownTools })).toBeTypeOf('function')
  })

  test('fails the request in development, where tools come with it', async () => {
    const server = await startMistyped()
    expect(await server.chat.post(question)).toMatchObject({ status: 500 })
    expect(server.reported).toMatchObject([{ code: 'unknown_tool' }])
  })

  test('is reported once in production, and what it may mean asks', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    const server = await startMistyped()
    for (let time = 0; time < 2; time++) {
      expect(callsOf(await asked(server))).toMatchObject([{ state: 'approval-requested' }])
    }
    expect(server.ran).toEqual([])
    expect(server.reported).toMatchObject([
      { code: 'unknown_tool', message: expect.stringContaining('toolApproval.sned') },
    ])
  })

  test('is none when the page announces the tool', async () => {
    const server = await startMistyped([ask, 'Sent.'])
    const tools = [{ name: 'sned', inputSchema: { type: 'object' } }]
    await answered(question, await server.chat.post(question, { body: { tools } }))
    expect(server.ran).toEqual(['ada'])
    expect(server.reported).toEqual([])
  })
})
