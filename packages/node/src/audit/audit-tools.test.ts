import { tool, type ToolSet } from 'ai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openDatabase, type AssentDatabase } from '../sqlite/open-database.ts'
import type { AuditLog } from './audit-log.ts'
import { auditLog } from './sqlite-audit.ts'
import { auditTools, type AuditToolsOptions } from './audit-tools.ts'

let database: AssentDatabase
let audit: AuditLog

beforeEach(() => {
  database = openDatabase(':memory:')
  audit = auditLog(database)
})

afterEach(() => database.close())

const inputSchema = z.object({ path: z.string() })

/** Runs a call as the AI SDK does. */
async function run(
  execute: (input: { path: string }) => unknown,
  options: AuditToolsOptions & { abortSignal?: AbortSignal } = {},
): Promise<unknown> {
  const { abortSignal, ...rest } = options
  const tools: ToolSet = auditTools({ write: tool({ inputSchema, execute }) }, audit, {
    context: { conversationId: 'c', taskId: 't' },
    ...rest,
  })
  const result: unknown = tools['write']!.execute!(
    { path: 'a' },
    {
      toolCallId: '1',
      messages: [],
      context: { user: 'ada' },
      ...(abortSignal && { abortSignal }),
    },
  )
  if (typeof result !== 'object' || result === null || !(Symbol.asyncIterator in result))
    return result
  const outputs: unknown[] = []
  for await (const output of result as AsyncIterable<unknown>) outputs.push(output)
  return outputs
}

const phases = async () =>
  (await audit.query()).toReversed().map(({ payload }) => payload['outcome'] ?? payload['phase'])

describe('a tool of a server', () => {
  it('is noted before it starts and when it has ended, with what it belongs to', async () => {
    const during: unknown[] = []
    const output = await run(async () => {
      during.push(...(await phases()))
      return { written: 3 }
    })
    expect(output).toEqual({ written: 3 })
    expect(during).toEqual(['queued', 'running'])
    expect(await audit.calls()).toMatchObject([
      {
        conversationId: 'c',
        taskId: 't',
        toolCallId: '1',
        toolName: 'write',
        arguments: { path: 'a' },
        status: 'done',
        output: '{"written":3}',
      },
    ])
  })

  it.each([
    ['gives its output at once', (): unknown => 'now', 'now', 'now'],
    ['gives nothing', (): unknown => undefined, undefined, undefined],
    [
      'streams its outputs',
      async function* (): AsyncGenerator<unknown> {
        yield 'some'
        yield 'all'
      },
      ['some', 'all'],
      'all',
    ],
  ] as const)('that %s gives the same', async (_what, execute, given, noted) => {
    expect(await run(execute)).toEqual(given)
    expect(await audit.calls()).toMatchObject([{ status: 'done', output: noted }])
  })

  it('that answers a stream without being a generator gives the last value of it', async () => {
    async function* count(): AsyncGenerator<unknown> {
      yield 'some'
      yield 'all'
    }
    expect(await run(() => count())).toBe('all')
    expect(await audit.calls()).toMatchObject([{ status: 'done', output: 'all' }])
  })

  it.each([
    [
      'throws',
      (): never => {
        throw new Error('no room')
      },
    ],
    ['rejects', () => Promise.reject(new Error('no room'))],
    [
      'throws in the middle of its outputs',
      async function* (): AsyncGenerator<unknown> {
        yield 'some'
        throw new Error('no room')
      },
    ],
  ] as const)('that %s fails with the same', async (_what, execute) => {
    await expect(run(execute)).rejects.toThrow('no room')
    expect(await phases()).toEqual(['queued', 'running', 'error'])
    expect(await audit.calls()).toMatchObject([{ status: 'failed', error: 'no room' }])
  })

  it('that is stopped may have taken effect', async () => {
    const stopped = new AbortController()
    const execute = () => {
      stopped.abort()
      throw stopped.signal.reason
    }
    await expect(run(execute, { abortSignal: stopped.signal })).rejects.toThrow('aborted')
    expect(await audit.query({ status: 'failed' })).toMatchObject([
      { payload: { outcome: 'cancelled', mayHaveRun: true } },
    ])
    const late = AbortSignal.abort(new DOMException('Time is up.', 'TimeoutError'))
    await expect(run(() => Promise.reject(late.reason), { abortSignal: late })).rejects.toThrow(
      'Time',
    )
    expect(await audit.calls()).toMatchObject([{ outcome: 'timeout', attempts: 2 }])
  })

  it('of whose outputs nobody wants the rest was stopped', async () => {
    const tools = auditTools(
      {
        count: tool({
          inputSchema,
          execute: async function* (): AsyncGenerator<unknown> {
            yield 1
            yield 2
          },
        }),
      },
      audit,
    )
    const options = { toolCallId: '1', messages: [], context: {} }
    for await (const output of tools.count.execute!(
      { path: '' },
      options,
    ) as AsyncIterable<unknown>) {
      expect(output).toBe(1)
      break
    }
    expect(await phases()).toEqual(['queued', 'running', 'cancelled'])
  })

  it('does not run when that cannot be noted', async () => {
    const ran: unknown[] = []
    const errors: unknown[] = []
    database.close()
    const onError = (error: unknown) => void errors.push(error)
    await expect(run(() => ran.push(1), { onError })).rejects.toMatchObject({
      code: 'call_not_noted',
      message: expect.stringContaining('did not run'),
      cause: { code: 'database_closed' },
    })
    expect(errors).toMatchObject([{ code: 'database_closed' }])
    expect(ran).toEqual([])
  })

  it('keeps its output when its end cannot be noted, which is told', async () => {
    const errors: unknown[] = []
    const execute = () => {
      database.close()
      return 'kept'
    }
    expect(await run(execute, { onError: (error) => errors.push(error) })).toBe('kept')
    expect(errors).toMatchObject([{ code: 'database_closed' }])
  })

  it('that runs once more is another attempt, and what it belongs to may depend on the call', async () => {
    const context: AuditToolsOptions['context'] = ({ toolName, toolCallId, context: given }) => ({
      conversationId: JSON.stringify([toolName, toolCallId, given]),
    })
    await run(() => 1, { context })
    await run(() => 2, { context })
    expect(await audit.calls()).toMatchObject([
      { conversationId: '["write","1",{"user":"ada"}]', attempts: 2, output: '2' },
    ])
  })

  it('keeps everything else it is, and one that nobody executes stays as it is', () => {
    const tools = {
      write: tool({ description: 'Writes.', inputSchema, execute: () => 1 }),
      ask: tool({ inputSchema }),
    }
    const audited = auditTools(tools, audit)
    expect(audited.ask).toBe(tools.ask)
    expect(audited.write).toEqual({ ...tools.write, execute: expect.any(Function) })
  })
})

it('a call whose output is no success is noted as failed, with the output and why', async () => {
  const failureOf = (toolName: string, output: unknown) =>
    toolName === 'write' && output === 'exit 1' ? 'Exit code 1' : undefined
  await run(() => 'exit 1', { failureOf })
  expect(await audit.calls()).toMatchObject([
    { status: 'failed', outcome: 'error', output: 'exit 1', error: 'Exit code 1' },
  ])
  expect(await audit.verify()).toMatchObject({ valid: true })
})
