import { createMessageEngine } from '@assent/engine'
import { answer, callTools, scriptedTransport, type RecordedRequest } from '@assent/engine/testing'
import { DatabaseError } from '@assent/node'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
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

/** Engines without the plugin that would tell the model of its calls: their turns end after these. */
function endingEarly(last: 'text' | 'call') {
  const look = callTools([{ toolCallId: 'c', toolName: 'look', input: {} }])
  const transport = scriptedTransport(
    Array.from({ length: 50 }, () => (request: RecordedRequest) => {
      const isTold = isAfterCalls(request)
      return isTold && last === 'text' ? answer('The tool is not there.') : look
    }),
  )
  const createEngine: WorkerOptions['createEngine'] = ({
    conversationId,
    storage,
    plugins,
    onError,
  }) => createMessageEngine({ id: conversationId, storage, transport, plugins, onError })
  return { transport, createEngine }
}

it('asks the model about the result of a call before a turn counts as answered', async () => {
  stage = setStage()
  const { createEngine, transport } = endingEarly('text')
  await stage.ask('one')
  stage.work({ createEngine })
  await stage.until('done', 'one')
  expect(stage.said).toEqual(['one: The tool is not there.'])
  expect(transport.requests).toHaveLength(2)
})

it('asks the model also when the turn counts as complete by what was stored', async () => {
  stage = setStage()
  const { createEngine, transport } = endingEarly('text')
  let fails = 1
  const { replies } = stage.stores
  await stage.ask('one')
  stage.work({
    createEngine,
    replies: {
      ...replies,
      async record(claim, reply) {
        if (fails-- > 0) throw new DatabaseError('database_unreachable', 'away')
        return replies.record(claim, reply)
      },
    },
  })
  await stage.until('done', 'one')
  expect(stage.said).toEqual(['one: The tool is not there.'])
  expect(transport.requests).toHaveLength(2)
})

it('never sends an empty answer for one: the task is tried again, and dead in the end', async () => {
  stage = setStage()
  const { createEngine } = endingEarly('call')
  await stage.ask('one')
  stage.work({ createEngine })
  await stage.until('dead', 'one')
  expect(stage.said).toEqual([])
  expect(await stage.task('one')).toMatchObject({ attempts: 3, error: { code: 'not_answered' } })
})

it('does nothing with a conversation that could not be read', async () => {
  stage = setStage()
  const { conversations } = stage.stores
  let unread = 1
  await stage.ask('one')
  stage.work({
    conversations: {
      ...conversations,
      async hold(...names) {
        const hold = await conversations.hold(...names)
        if (!hold || unread-- <= 0) return hold
        const { storage } = hold
        return Object.assign(Object.create(hold), {
          storage: {
            open(host: Parameters<typeof storage.open>[0]) {
              // As one that cannot be read: nothing of it is known, and nothing of it is stored.
              return { ...storage.open(host), restore: async () => undefined }
            },
          },
        })
      },
    },
  })
  await stage.until('done', 'one')
  expect(stage.said).toEqual(['one: You said one'])
  expect(stage.transport.requests).toHaveLength(1)
})
