import { join } from 'node:path'
import {
  createMessageEngine,
  isDecision,
  toolPlugin,
  type EngineError,
  type MessageEngine,
} from '@assent/engine'
import type { ResumeToolCallPayload, ToolPluginOptions } from '@assent/engine'
import {
  answer,
  approvalRequestChunks,
  callTools,
  responseChunks,
  scriptedTransport,
  stepChunks,
  toolCallChunks,
  toolOutputChunks,
  untilState,
} from '@assent/engine/testing'
import type { ToolSet } from 'ai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createScratch, type Scratch } from '../../test/scratch.ts'
import { openDatabase, type AssentDatabase } from '../sqlite/open-database.ts'
import { sqliteConversations } from '../sqlite/sqlite-conversations.ts'
import { sqliteStorage } from '../sqlite/sqlite-storage.ts'
import type { AuditLog } from './audit-log.ts'
import { auditLog } from './sqlite-audit.ts'
import { auditStorage } from './audit-storage.ts'
import type { AuditStorageOptions } from './follow-conversation.ts'

let scratch: Scratch
const opened: AssentDatabase[] = []
const engines: MessageEngine[] = []

beforeEach(() => {
  scratch = createScratch()
})

afterEach(async () => {
  vi.restoreAllMocks()
  for (const engine of engines.splice(0)) engine.dispose()
  // What is left is stored after the tick of the end.
  await new Promise((resolve) => void setImmediate(resolve))
  for (const database of opened.splice(0)) database.close()
  scratch.remove()
})

function openFile(name = 'data.db'): AssentDatabase {
  const database = openDatabase(join(scratch.path, name))
  opened.push(database)
  return database
}

/** The disk as a crash at this moment would leave it. */
function copyOf(database: AssentDatabase, name = 'crashed.db'): string {
  database.sqlite.exec(`VACUUM INTO '${join(scratch.path, name)}'`)
  return name
}

interface Setup {
  readonly script: Parameters<typeof scriptedTransport>[0]
  readonly tools?: ToolPluginOptions<ToolSet>
  readonly database?: AssentDatabase
  readonly audit?: AuditLog
  readonly options?: AuditStorageOptions
}

function converse({ script, tools, database = openFile(), options, ...given }: Setup) {
  const audit = given.audit ?? auditLog(database)
  const errors: EngineError[] = []
  const transport = scriptedTransport(script)
  const engine = createMessageEngine({
    id: 'c',
    transport,
    storage: auditStorage(sqliteStorage(database), audit, options),
    plugins: [toolPlugin({ defaultApproval: 'approved', ...tools })],
    onError: (error) => errors.push(error),
  })
  engines.push(engine)
  const resume = (payload: ResumeToolCallPayload) =>
    engine.runPluginCommand('tool', 'resumeToolCall', payload)
  const until = (state: string) => untilState(engine, ({ requestState }) => requestState === state)
  /** What was noted of the calls, oldest first. */
  const noted = async () =>
    (await audit.query({ kind: 'call' }))
      .toReversed()
      .map(({ payload }) => `${payload['toolCallId']} ${payload['outcome'] ?? payload['phase']}`)
  return { engine, audit, database, errors, resume, until, noted, transport }
}

const inputSchema = z.object({ path: z.string().optional() })
const write = (toolCallId: string, path = 'a') => ({
  toolCallId,
  toolName: 'write',
  input: { path },
})

describe('a call of an engine', () => {
  it('whose output is no success has failed, with its output and why', async () => {
    const { engine, audit, noted } = converse({
      script: [callTools(write('1')), answer('done')],
      tools: {
        tools: { write: { inputSchema, execute: () => 'exit 1' } },
        toolOptions: { write: { failure: () => 'Exit code 1' } },
      },
    })
    await engine.sendMessage('go')
    expect(await noted()).toEqual(['1 queued', '1 running', '1 error'])
    expect(await audit.calls()).toMatchObject([
      { status: 'failed', outcome: 'error', output: 'exit 1', error: 'Exit code 1' },
    ])
  })

  it('is followed from the question to its output, each transition once', async () => {
    const { engine, audit, resume, until, noted } = converse({
      script: [callTools(write('1')), answer('done')],
      tools: {
        tools: { write: { inputSchema, execute: () => ({ written: 3 }) } },
        toolApproval: { write: 'user-approval' },
      },
      options: {
        taskId: () => 't',
        who: (record) => (isDecision(record) ? `ada (${record.outcome})` : undefined),
      },
    })
    await engine.sendMessage('go')
    expect(await noted()).toEqual(['1 queued'])
    expect(await audit.calls()).toMatchObject([{ status: 'queued', arguments: { path: 'a' } }])
    await resume({
      toolCallId: '1',
      outcome: 'yes_always',
      reason: 'fine',
      scope: { covers: 'tool' },
    })
    await until('completed')
    expect(await noted()).toEqual(['1 queued', '1 running', '1 success'])
    const { startedAt } = (await audit.calls())[0]!
    expect(await audit.calls()).toMatchObject([
      {
        conversationId: 'c',
        taskId: 't',
        step: 1,
        toolName: 'write',
        status: 'done',
        output: '{"written":3}',
        attempts: 1,
      },
    ])
    expect(startedAt).toBeTypeOf('number')
    expect(await audit.query({ kind: 'decision' })).toMatchObject([
      { payload: { outcome: 'yes_always', who: 'ada (yes_always)', reason: 'fine', taskId: 't' } },
    ])
    expect(await audit.query({ status: 'running' })).toMatchObject([
      { payload: { decidedBy: 'person' } },
    ])
    expect(await audit.verify()).toMatchObject({ valid: true, entries: 4 })
  })

  it('is noted as running, durably, before its tool starts', async () => {
    const database = openFile()
    const seen: unknown[] = []
    const { engine } = converse({
      database,
      script: [callTools(write('1')), answer('done')],
      tools: {
        tools: {
          write: {
            inputSchema,
            execute: () => {
              seen.push(openFile().sqlite.prepare('SELECT status FROM tool_calls').get())
            },
          },
        },
      },
    })
    await engine.sendMessage('go')
    expect(seen).toEqual([{ status: 'running' }])
  })

  it('does not run before an audit that takes its time has it', async () => {
    const database = openFile()
    const audit = auditLog(database)
    const isDown = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const effects: unknown[] = []
    const { engine, noted } = converse({
      database,
      audit: {
        ...audit,
        async recordCall(change) {
          if (change.phase === 'running') {
            asked.resolve()
            await isDown.promise
          }
          return audit.recordCall(change)
        },
      },
      script: [callTools(write('1')), answer('done')],
      tools: { callTool: () => effects.push(1), durable: 'required' },
    })
    const sending = engine.sendMessage('go')
    await asked.promise
    await new Promise((resolve) => void setImmediate(resolve))
    expect(effects).toEqual([])
    isDown.resolve()
    expect(await sending).toMatchObject({ requestState: 'completed' })
    expect(effects).toEqual([1])
    expect(await noted()).toEqual(['1 queued', '1 running', '1 success'])
  })

  it('is noted however it ends', async () => {
    const held = Promise.withResolvers<never>()
    const { engine, audit, resume, until, noted } = converse({
      script: [
        callTools([write('denied'), write('failing'), { ...write('late'), toolName: 'slow' }]),
        callTools(write('held')),
      ],
      tools: {
        callTool: ({ toolCallId }) => {
          if (toolCallId === 'failing') throw new Error('The disk is full.')
          return held.promise
        },
        knownTools: ['slow'],
        toolOptions: { slow: { timeoutMs: 20 } },
        shouldPauseToolCall: ({ toolCallId }) => toolCallId === 'denied',
      },
    })
    void engine.sendMessage('go')
    await until('paused')
    await resume({ toolCallId: 'denied', outcome: 'no', reason: 'not today' })
    await vi.waitUntil(
      async () => (await audit.calls({ status: 'running' }))[0]?.toolCallId === 'held',
    )
    await engine.abort()
    await vi.waitUntil(async () => (await audit.calls({ status: 'running' })).length === 0)
    expect((await noted()).toSorted()).toEqual([
      'denied denied',
      'denied queued',
      'failing error',
      'failing queued',
      'failing running',
      'held cancelled',
      'held queued',
      'held running',
      'late queued',
      'late running',
      'late timeout',
    ])
    expect((await audit.calls()).map(({ toolCallId, error }) => [toolCallId, error])).toEqual([
      ['held', expect.stringMatching(/may have taken effect/)],
      ['late', expect.stringMatching(/did not end within/)],
      ['failing', 'The disk is full.'],
      ['denied', 'not today'],
    ])
  })

  it('is told apart from one that is executed elsewhere, which is followed, too', async () => {
    const { engine, audit, resume, until, noted } = converse({
      script: [
        responseChunks(
          {},
          stepChunks(
            toolCallChunks({ ...write('free'), providerExecuted: true }),
            toolOutputChunks('free', 'so far', 'found'),
          ),
          stepChunks(
            toolCallChunks(write('asked')),
            approvalRequestChunks({ toolCallId: 'asked' }),
          ),
        ),
        responseChunks({}, stepChunks(toolOutputChunks('asked', 'deployed'))),
      ],
    })
    await engine.sendMessage('go')
    await resume({ toolCallId: 'asked', outcome: 'yes' })
    await until('completed')
    await vi.waitUntil(async () => (await audit.calls({ status: 'done' })).length === 2)
    expect(await noted()).toEqual(
      expect.arrayContaining(['free queued', 'free success', 'asked queued', 'asked success']),
    )
    expect(await noted()).toHaveLength(4)
    expect(await audit.query({ status: 'queued' })).toMatchObject([
      { payload: { isElsewhere: true } },
      { payload: { isElsewhere: true } },
    ])
  })

  it('has as arguments what ran, when a person has edited them', async () => {
    const { engine, audit, resume, until } = converse({
      script: [callTools(write('1')), answer('done')],
      tools: {
        tools: { write: { inputSchema, execute: () => 'ok' } },
        toolApproval: { write: 'user-approval' },
      },
    })
    await engine.sendMessage('go')
    await resume({ toolCallId: '1', outcome: 'yes', input: { path: 'b' } })
    await until('completed')
    expect(await audit.calls()).toMatchObject([{ arguments: { path: 'b' } }])
    expect(await audit.query({ status: 'queued' })).toMatchObject([
      { payload: { arguments: { path: 'a' } } },
    ])
  })

  it('by a permission is noted with what became of that', async () => {
    const { engine, audit, resume, until } = converse({
      script: [callTools(write('1')), callTools(write('2')), answer('done')],
      tools: {
        tools: { write: { inputSchema, execute: () => 'ok' } },
        toolApproval: { write: 'user-approval' },
      },
    })
    await engine.sendMessage('go')
    await resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } })
    await until('completed')
    expect(await audit.query({ kind: 'policy' })).toMatchObject([{ payload: { event: 'used' } }])
    expect((await audit.query({ status: 'running' }))[0]?.payload['decidedBy']).toBe('policy')
  })
})

describe('after a crash', () => {
  /** A call that was running when the disk was copied. */
  async function crashWhileRunning() {
    let copy = ''
    const database = openFile()
    const { engine } = converse({
      database,
      script: [callTools(write('1')), answer('done')],
      tools: {
        callTool: () => {
          copy = copyOf(database)
          return 'ok'
        },
      },
    })
    await engine.sendMessage('go')
    return copy
  }

  it('a call that ran is interrupted, once, however often the conversation is opened', async () => {
    const database = openFile(await crashWhileRunning())
    for (let times = 0; times < 3; times++) {
      const { engine, noted } = converse({
        database,
        script: [],
        tools: { tools: { write: { inputSchema, execute: () => 'again' } } },
      })
      await engine.ready
      await untilState(engine, ({ requestState }) => requestState === 'error')
      await vi.waitUntil(async () => (await noted()).length >= 3)
      engine.dispose()
      await new Promise((resolve) => void setImmediate(resolve))
      expect(await noted()).toEqual(['1 queued', '1 running', '1 interrupted'])
    }
    expect(await auditLog(database).calls()).toMatchObject([
      { outcome: 'interrupted', error: expect.stringMatching(/may have taken effect|not known/) },
    ])
  })

  it('a call that may be run again is another attempt', async () => {
    const database = openFile(await crashWhileRunning())
    const { engine, audit, noted } = converse({
      database,
      script: [answer('done')],
      tools: {
        tools: { write: { inputSchema, execute: () => 'again' } },
        toolOptions: { write: { idempotent: true } },
        onInterrupted: 'retry',
      },
    })
    await untilState(engine, ({ requestState }) => requestState === 'completed')
    expect(await noted()).toEqual(expect.arrayContaining(['1 success']))
    expect((await noted()).filter((one) => one === '1 running')).toHaveLength(2)
    expect(await audit.calls()).toMatchObject([{ status: 'done', attempts: 2, output: 'again' }])
  })

  it('a call that waits has been noted, and its end follows', async () => {
    const database = openFile()
    const setup = {
      tools: {
        tools: { write: { inputSchema, execute: () => 'ok' } },
        toolApproval: { write: 'user-approval' },
      },
    } as const
    const before = converse({ ...setup, database, script: [callTools(write('1'))] })
    await before.engine.sendMessage('go')
    const copied = openFile(copyOf(database))
    const after = converse({ ...setup, database: copied, script: [answer('done')] })
    await after.engine.ready
    await after.resume({ toolCallId: '1', outcome: 'yes' })
    await after.until('completed')
    expect(await after.noted()).toEqual(['1 queued', '1 running', '1 success'])
  })

  it('what was stored and not noted is noted: how a call ended, and a decision', async () => {
    const database = openFile()
    const audit = auditLog(database)
    const deaf: AuditLog = {
      ...audit,
      recordCall: async (change) => change.phase !== 'done' && audit.recordCall(change),
      recordDecision: async () => false,
    }
    const setup = {
      tools: {
        tools: { write: { inputSchema, execute: () => 'ok' } },
        toolApproval: { write: 'user-approval' },
      },
    } as const
    const before = converse({
      ...setup,
      database,
      audit: deaf,
      script: [callTools(write('1')), answer('done')],
    })
    await before.engine.sendMessage('go')
    await before.resume({ toolCallId: '1', outcome: 'yes' })
    await before.until('completed')
    expect(await audit.calls()).toMatchObject([{ status: 'running' }])
    const after = converse({ ...setup, database: openFile(copyOf(database)), script: [] })
    await after.engine.ready
    expect(await after.noted()).toEqual(['1 queued', '1 running', '1 success'])
    expect(await after.audit.query({ kind: 'decision' })).toHaveLength(1)
  })

  it('a call whose message was never stored is over', async () => {
    const audit = auditLog(openFile())
    const call = {
      conversationId: 'c',
      messageId: 'gone',
      step: 1,
      toolCallId: '1',
      toolName: 'write',
    }
    await audit.recordCall({ ...call, phase: 'queued', input: {} })
    await audit.recordCall({ ...call, messageId: undefined, phase: 'running', input: {} })
    const { engine } = converse({ script: [answer('first'), answer('second')] })
    await engine.sendMessage('go')
    engine.dispose()
    await new Promise((resolve) => void setImmediate(resolve))
    await converse({ script: [] }).engine.ready
    expect(await audit.calls()).toMatchObject([
      { status: 'running', messageId: undefined },
      { status: 'failed', outcome: 'dropped' },
    ])
  })

  it('nothing of a history from before the audit is told as if it ended now', async () => {
    const database = openFile()
    const storage = sqliteStorage(database)
    const setup = {
      id: 'c',
      plugins: [toolPlugin({ defaultApproval: 'approved', callTool: () => 'ok' })],
    }
    const script = [callTools(write('1')), answer('done'), answer('more')]
    const before = createMessageEngine({ ...setup, storage, transport: scriptedTransport(script) })
    engines.push(before)
    await before.sendMessage('go')
    await before.sendMessage('and')
    const after = converse({ database: openFile(copyOf(database)), script: [] })
    await after.engine.ready
    expect(await after.noted()).toEqual([])
    const given = createMessageEngine({
      ...setup,
      messages: before.getState().messages,
      storage: auditStorage(sqliteStorage(openFile('other.db')), after.audit),
      transport: scriptedTransport([answer('more')]),
    })
    engines.push(given)
    await given.sendMessage('go on')
    expect(await after.noted()).toEqual([])
  })
})

describe('an audit that cannot be written', () => {
  const failing = (audit: AuditLog): AuditLog => ({
    ...audit,
    recordCall: () => {
      throw new Error('The disk is full.')
    },
  })

  it('keeps a tool from running that must not run unnoted, and is told once', async () => {
    const database = openFile()
    const effects: unknown[] = []
    const { engine, errors } = converse({
      database,
      audit: failing(auditLog(database)),
      script: [callTools(write('1')), answer('done')],
      tools: { callTool: () => effects.push(1), durable: 'required' },
    })
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'paused' })
    expect(effects).toEqual([])
    expect(errors.map(({ code, message }) => [code, message])).toEqual([
      ['storage_failed', expect.stringMatching(/could not be written to the audit/)],
    ])
  })

  it('does not keep others from running, and is made up for as soon as it can be', async () => {
    const database = openFile()
    const audit = auditLog(database)
    let isFull = true
    const { engine, noted } = converse({
      database,
      audit: {
        ...audit,
        recordCall(change) {
          if (isFull) throw new Error('The disk is full.')
          return audit.recordCall(change)
        },
      },
      script: [callTools(write('1')), answer('done'), answer('more')],
      tools: { callTool: () => 'ok' },
    })
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect(await noted()).toEqual([])
    isFull = false
    await engine.sendMessage('and')
    await vi.waitUntil(async () => (await noted()).length > 0)
    expect(await noted()).toEqual(['1 queued', '1 success'])
  })
})

it('says nothing more for a conversation that another process has taken over', async () => {
  const database = openFile()
  const audit = auditLog(database)
  let time = 1_000
  const take = (of: AssentDatabase) =>
    sqliteConversations(of, { now: () => time }).hold('c', { leaseMs: 100 })
  const hold = await take(database)
  const ended = Promise.withResolvers<string>()
  const engine = createMessageEngine({
    id: 'c',
    transport: scriptedTransport([callTools(write('1')), answer('done')]),
    storage: auditStorage(hold!.storage, audit),
    plugins: [toolPlugin({ defaultApproval: 'approved', callTool: () => ended.promise })],
    onError: () => undefined,
  })
  engines.push(engine)
  void engine.sendMessage('go')
  await vi.waitUntil(async () => (await audit.calls({ status: 'running' })).length === 1)
  time += 100
  expect(await take(openFile())).toMatchObject({ isTakenOver: true })
  ended.resolve('late')
  await untilState(engine, ({ messages }) => JSON.stringify(messages).includes('late'))
  engine.dispose()
  await new Promise((resolve) => void setImmediate(resolve))
  expect(await audit.calls()).toMatchObject([{ status: 'running' }])
})
