import { EngineError } from '@assent/engine'
import { callTools } from '@assent/engine/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isAfterCalls, noting, setStage, type WorkerStage } from '../test/worker-stage.ts'
import type { TaskDeath } from './inbox.ts'
import { ranWords } from './ran-calls.ts'

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

describe('a task that dies after its calls ran', () => {
  it('says which of them ran, to whoever is told and to whoever looks at it', async () => {
    stage = setStage({
      tools: {
        send_mail: noting(() => 'sent'),
        book: noting(() => Promise.reject(new Error('The line is dead.'))),
        look: noting(() => 'seen'),
        erase: noting(() => 'gone'),
      },
      toolOptions: { look: { risk: 'read' } },
      toolApproval: { erase: 'denied' },
      model: (request) =>
        isAfterCalls(request)
          ? new EngineError('stream_error', 'Bad request', {
              details: { kind: 'status', status: 400 },
            })
          : callTools(
              ['send_mail', 'book', 'look', 'erase'].map((toolName) => ({
                toolCallId: toolName,
                toolName,
                input: {},
              })),
            ),
    })
    const dead: TaskDeath[] = []
    await stage.ask('one')
    stage.work({ onDead: (_task, error) => void dead.push(error) })
    await stage.until('dead', 'one')
    const message =
      "Bad request. send_mail ran before that; it isn't undone. book may have taken effect before that."
    expect(dead).toEqual([
      {
        code: 'stream_error',
        message,
        ran: [
          { toolCallId: 'send_mail', toolName: 'send_mail', effect: 'ran' },
          { toolCallId: 'book', toolName: 'book', effect: 'unknown' },
        ],
      },
    ])
    expect((await stage.task('one')).error).toEqual({ code: 'stream_error', message })
  })

  it('says so also when its workers ended, by the audit', async () => {
    stage = setStage({ maxAttempts: 1 })
    const { inbox, audit } = stage.stores
    await stage.ask('one')
    for (let workers = 0; workers < 2; workers++) {
      expect(await inbox.claim({ worker: 'w', leaseMs: 10 })).toBeDefined()
      vi.setSystemTime(Date.now() + 20)
    }
    const call = { conversationId: 'chat', taskId: 'one', messageId: 'm', step: 1 }
    const name = { ...call, toolCallId: 'c', toolName: 'send_mail' }
    if (audit) {
      await audit.recordCall({ ...name, phase: 'running', startedAt: 1, input: {} })
      await audit.recordCall({ ...name, phase: 'done', outcome: 'success', output: 'sent' })
    }
    stage.work()
    await stage.until('dead', 'one')
    expect((await stage.task('one')).error).toMatchObject({
      code: 'worker_lost',
      message: expect.stringContaining("send_mail ran before that; it isn't undone."),
    })
  })
})

describe('the words about calls that ran', () => {
  it('name each tool once, and say nothing when nothing ran', () => {
    stage = setStage()
    const ran = (toolName: string) => ({ toolCallId: 'c', toolName, effect: 'ran' }) as const
    expect(ranWords([])).toBe('')
    expect(ranWords([ran('note'), ran('send_mail'), ran('note')])).toBe(
      "note and send_mail ran before that; they aren't undone.",
    )
  })
})
