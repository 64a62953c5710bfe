import { callTools, answer } from '@assent/engine/testing'
import { fromChannelText, toChannelText } from '@assent/engine/remote'
import { createConversationServer, sqliteConversations } from '@assent/node'
import { jsonSchema, tool } from 'ai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isAfterCalls, setStage, type WorkerStage } from '../test/worker-stage.ts'
import type { WorkerOptions } from './create-worker.ts'

let stage: WorkerStage

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
  })
})

afterEach(async () => {
  await stage.close()
  vi.useRealTimers()
})

/** What is said on the channel of the conversation `chat`, as a page hears it. */
function openPage() {
  const heard: { type: string; [name: string]: unknown }[] = []
  const server = createConversationServer({ conversations: sqliteConversations(stage.database) })
  const page = server.connect({
    user: 'ada',
    send(text) {
      const told = JSON.parse(text)
      if (told.tell === 'heard') heard.push(Object(fromChannelText(told.text)))
    },
  })
  const channel = 'assent:chat'
  const say = (message: object): void => {
    const text = toChannelText({ assent: 1, from: 'page', ...message })
    page.receive(JSON.stringify({ ask: 'say', channel, text }))
  }
  page.receive(JSON.stringify({ ask: 'join', channel }))
  return {
    heard,
    /** Asks for the whole, and then for a command; resolves when that was answered. */
    async command(name: string, payload: unknown) {
      say({ type: 'hello', term: 0, seq: undefined })
      const term = heard.findLast(({ type }) => type === 'snapshot')?.['term']
      const request = { method: 'runPluginCommand', plugin: 'tool', command: name, payload }
      say({ type: 'call', term, callId: 'c', request })
      await stage.untilTrue(() => heard.some(({ type }) => type === 'reply'))
      return heard.find(({ type }) => type === 'reply')?.['result']
    },
  }
}

/** A task of which one call runs until it is let go, while another waits for a person. */
async function workOnTwoCalls(options: Partial<WorkerOptions> = {}) {
  const ran = Promise.withResolvers<void>()
  const over = Promise.withResolvers<string>()
  const done: string[] = []
  stage = setStage({
    gate: 'call',
    tools: {
      long: tool({
        inputSchema: jsonSchema({ type: 'object' }),
        execute() {
          ran.resolve()
          return over.promise
        },
      }),
      ask: tool({
        inputSchema: jsonSchema({ type: 'object' }),
        execute: () => void done.push('asked'),
      }),
    },
    toolApproval: { long: 'approved', ask: 'user-approval' },
    model: (request) =>
      isAfterCalls(request)
        ? answer('Done.')
        : callTools([
            { toolCallId: '1', toolName: 'long', input: {} },
            { toolCallId: '2', toolName: 'ask', input: {} },
          ]),
  })
  const page = openPage()
  await stage.ask('go')
  stage.work(options)
  await ran.promise
  await stage.untilTrue(() =>
    JSON.stringify(stage.engines[0]?.getState().messages).includes('approval-requested'),
  )
  return { page, done, finish: () => over.resolve('long') }
}

describe('the conversation that a worker works on', () => {
  it('is read along by pages, and decided there', async () => {
    const { page, done, finish } = await workOnTwoCalls()
    expect(await page.command('resumeToolCall', { toolCallId: '2' })).toMatchObject({
      success: true,
    })
    finish()
    await stage.until('done', 'go')
    expect(done).toEqual(['asked'])
    expect(stage.said).toEqual(['go: Done.'])
    expect(JSON.stringify(page.heard)).toContain('Done.')
    expect(page.heard.at(-1)).toMatchObject({ type: 'left' })
  })

  it('is not decided in a page where it is asked who may decide', async () => {
    const { page, done, finish } = await workOnTwoCalls({ mayDecide: () => true })
    expect(await page.command('resumeToolCall', { toolCallId: '2' })).toMatchObject({
      success: false,
      error: { code: 'sharing_unavailable' },
    })
    finish()
    await stage.until('parked', 'go')
    expect(done).toEqual([])
  })
})
