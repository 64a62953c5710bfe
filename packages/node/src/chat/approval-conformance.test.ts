import { strictApproval } from '@assent/engine'
import { approvalConformance, approvalFaults } from '@assent/engine/testing'
import type { OpenHandler, OpenRoute } from '@assent/engine/testing'
import {
  convertToModelMessages,
  createUIMessageStreamResponse,
  streamText,
  toUIMessageStream,
  type UIMessage,
} from 'ai'
import { describe, expect, test } from 'vitest'
import { SECRET } from '../../test/serve-chat.ts'
import { createChatHandler } from './create-chat-handler.ts'
import { memoryLedger } from './memory-ledger.ts'

const DAY = 24 * 3_600_000
const plays = process.env['ASSENT_DEEP'] === '1' ? 100 : 6

const openRoute: OpenRoute = ({ model, tools, toolApproval }) => ({
  async fetch(request) {
    const { messages }: { messages: UIMessage[] } = await request.json()
    const { stream } = streamText({
      model,
      tools,
      toolApproval: strictApproval(toolApproval, { onError: () => {} }),
      experimental_toolApprovalSecret: SECRET,
      messages: await convertToModelMessages(messages),
      onError: () => {},
    })
    return createUIMessageStreamResponse({
      stream: toUIMessageStream({ stream, tools, originalMessages: messages }),
    })
  },
})

const openHandler: OpenHandler = (setup) => {
  let now = Date.now()
  const ledger = memoryLedger()
  const start = () =>
    createChatHandler({
      ...setup,
      ledger,
      approvalSecret: SECRET,
      authorize: (request) => request.headers.get('x-user'),
      rateLimit: false,
      now: () => now,
      onError: () => {},
    })
  let handler = start()
  return {
    fetch: (request) => handler(request),
    expire: () => void (now += DAY + 1),
    restart: () => void (handler = start()),
  }
}

describe('a route of the AI SDK with strictApproval', () => {
  test.each(approvalConformance('plain route', { plays }))('$name', async ({ run }) => {
    await expect(run(openRoute)).resolves.toBeUndefined()
  })

  test.each(approvalFaults('plain route'))('$name', async ({ run }) => {
    await expect(run(openRoute)).resolves.toBeUndefined()
  })
})

describe('createChatHandler', () => {
  test.each(approvalConformance('handler', { plays }))('$name', async ({ run }) => {
    await expect(run(openHandler)).resolves.toBeUndefined()
  })

  test.each(approvalFaults('handler'))('$name', async ({ run }) => {
    await expect(run(openHandler)).resolves.toBeUndefined()
  })
})
