import type { ConfirmationRecord } from '@assent/engine'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase, type AssentDatabase } from '../sqlite/open-database.ts'
import type { AuditLog } from './audit-log.ts'
import { auditLog, type AuditLogOptions } from './sqlite-audit.ts'
import { countHidden } from '@assent/engine/reading'
import { verifyJsonl } from './export-audit.ts'

let database: AssentDatabase
let audit: AuditLog
let time = 0

beforeEach(() => {
  time = 1_000
  database = openDatabase(':memory:')
  audit = open()
})

afterEach(() => database.close())

function open(options: AuditLogOptions = {}): AuditLog {
  return auditLog(database, { now: () => time++, ...options })
}

const call = {
  conversationId: 'c',
  messageId: 'm',
  step: 1,
  toolCallId: '1',
  toolName: 'write',
} as const

const rows = (sql: string) => database.sqlite.prepare(sql).all()
const phases = async () => (await audit.query()).map(({ payload }) => payload['phase'])

/** An entry as a query has it: with its body in its payload. */
function readLine(line: string): unknown {
  const { body, ...entry } = JSON.parse(line)
  if (body === undefined) return entry
  const { body: _hash, ...kept } = entry.payload
  const { salt: _salt, ...said } = body
  return { ...entry, payload: { ...kept, ...said } }
}

function decided(more: Partial<ConfirmationRecord> = {}): ConfirmationRecord {
  return {
    ...call,
    id: 'd',
    fingerprint: 'f',
    at: 5,
    outcome: 'yes',
    ...more,
  } as ConfirmationRecord
}

describe('a call', () => {
  it('is followed from phase to phase, and can be queried by plain SQL', async () => {
    await audit.recordCall({ ...call, taskId: 't', phase: 'queued', input: { path: 'a.txt' } })
    await audit.recordCall({ ...call, phase: 'running', decidedBy: 'person' })
    await audit.recordCall({ ...call, phase: 'done', output: { written: 3 } })
    expect(
      rows(`SELECT task_id, tool_name, arguments_json, status, output_text, error, started_at,
              finished_at FROM tool_calls`),
    ).toEqual([
      {
        task_id: 't',
        tool_name: 'write',
        arguments_json: '{"path":"a.txt"}',
        status: 'done',
        output_text: '{"written":3}',
        error: null,
        started_at: 1_001,
        finished_at: 1_002,
      },
    ])
    expect(await audit.calls()).toMatchObject([
      { ...call, taskId: 't', arguments: { path: 'a.txt' }, outcome: 'success', attempts: 1 },
    ])
    expect(await phases()).toEqual(['done', 'running', 'queued'])
  })

  it('is noted once per transition, whoever notes it', async () => {
    const other = open()
    const running = { ...call, phase: 'running', startedAt: 7 } as const
    expect(await audit.recordCall({ ...call, phase: 'queued', input: {} })).toBe(true)
    expect(await other.recordCall({ ...call, phase: 'queued', input: {} })).toBe(false)
    expect(await other.recordCall(running)).toBe(true)
    expect(await audit.recordCall(running)).toBe(false)
    expect(await audit.recordCall({ ...call, phase: 'done' })).toBe(true)
    expect(await other.recordCall({ ...call, phase: 'done' })).toBe(false)
    expect((await audit.head()).seq).toBe(3)
  })

  it('that was not known is queued first', async () => {
    await audit.recordCall({
      ...call,
      phase: 'failed',
      outcome: 'denied',
      input: { a: 1 },
      error: 'no',
    })
    expect(await phases()).toEqual(['failed', 'queued'])
    expect(await audit.calls()).toMatchObject([
      { status: 'failed', outcome: 'denied', error: 'no', arguments: { a: 1 }, attempts: 0 },
    ])
    expect((await audit.calls())[0]?.startedAt).toBeUndefined()
  })

  it('that starts anew is another attempt, and that waits again is queued', async () => {
    await audit.recordCall({ ...call, phase: 'running', input: { a: 1 }, startedAt: 7 })
    await audit.recordCall({ ...call, phase: 'queued', input: { a: 1 } })
    expect(await audit.calls()).toMatchObject([
      { status: 'queued', startedAt: undefined, attempts: 1 },
    ])
    await audit.recordCall({ ...call, phase: 'running', startedAt: 8, input: { a: 2 } })
    expect(await audit.calls()).toMatchObject([
      { status: 'running', startedAt: 8, attempts: 2, arguments: { a: 2 } },
    ])
    expect((await audit.query()).map(({ payload }) => payload['arguments'])).toEqual([
      { a: 2 },
      undefined,
      undefined,
      { a: 1 },
    ])
  })

  it('stays with the task that it was queued for', async () => {
    await audit.recordCall({ ...call, taskId: 't', phase: 'running', input: {} })
    await audit.recordCall({ ...call, taskId: 'next', phase: 'failed', outcome: 'interrupted' })
    expect(await audit.calls({ taskId: 't' })).toMatchObject([{ outcome: 'interrupted' }])
    expect(await audit.query({ taskId: 't' })).toHaveLength(3)
    expect(await audit.query({ taskId: 'next' })).toEqual([])
  })

  it('is told from every other one whose name is alike', async () => {
    const names = [
      {},
      { conversationId: 'c' },
      { conversationId: 'c', messageId: 'm' },
      { conversationId: 'c', messageId: 'm', step: 1 },
      { conversationId: 'cm', step: 1 },
      { conversationId: 'c', messageId: 'm', step: 2 },
      { conversationId: '\ud83d' },
      { conversationId: '\udc69' },
      { conversationId: '\ufffd' },
    ]
    for (const name of names) {
      await audit.recordCall({ toolCallId: '1', toolName: '__proto__', phase: 'queued', ...name })
    }
    expect(await audit.calls()).toHaveLength(names.length)
    expect(await audit.calls({ conversationId: '\ud83d', toolName: '__proto__' })).toMatchObject([
      { conversationId: '\ud83d', toolName: '__proto__' },
    ])
    expect(await audit.query({ conversationId: '\udc69' })).toHaveLength(1)
  })

  it.each([
    { phase: 'failed' },
    { phase: 'failed', outcome: 'success' },
    { phase: 'done', outcome: 'error' },
    { phase: 'running', outcome: 'success' },
  ] as const)('cannot be $phase with the outcome $outcome', async (change) => {
    await expect(audit.recordCall({ ...call, ...change })).rejects.toEqual(
      expect.objectContaining({ code: 'invalid_argument' }),
    )
    expect((await audit.head()).seq).toBe(0)
  })

  it('whose process is gone is interrupted, once, and nothing else is', async () => {
    await audit.recordCall({ ...call, phase: 'running' })
    await audit.recordCall({ ...call, toolCallId: '2', phase: 'queued' })
    await audit.recordCall({ ...call, toolCallId: '3', phase: 'done' })
    await audit.recordCall({ ...call, toolCallId: '4', conversationId: 'other', phase: 'running' })
    await audit.recordCall({ ...call, toolCallId: '5', phase: 'running', startedAt: 9_000 })
    expect(await audit.interruptRunning({ conversationId: 'c', until: 9_000 })).toBe(1)
    expect(await audit.interruptRunning({ conversationId: 'c', until: 9_000 })).toBe(0)
    expect((await audit.calls()).map(({ toolCallId, status }) => [toolCallId, status])).toEqual([
      ['5', 'running'],
      ['4', 'running'],
      ['3', 'done'],
      ['2', 'queued'],
      ['1', 'failed'],
    ])
    expect(await audit.calls({ status: 'failed' })).toMatchObject([{ outcome: 'interrupted' }])
    expect(await audit.interruptRunning({})).toBe(2)
  })
})

describe('what is written', () => {
  it('has no secrets, in whatever field', async () => {
    const secret = `sk-ant-api03-${'a1B2'.repeat(23)}-AA`
    await audit.recordCall({
      ...call,
      phase: 'failed',
      outcome: 'error',
      input: { password: 'hunter22', [secret]: [secret], deep: { command: `curl -H ${secret}` } },
      output: { token: 'abc12345' },
      error: secret,
    })
    await audit.recordRefusal({
      code: 'forbidden',
      toolName: 'bash',
      toolCallId: '1',
      message: secret,
      subject: secret,
    })
    await audit.recordDecision(
      decided({
        reason: secret,
        editedInput: { a: secret },
        scope: { covers: { '/a': { prefix: secret } } },
      }),
    )
    await audit.recordTask({ taskId: 't', phase: 'failed', message: secret })
    const all = JSON.stringify([
      rows('SELECT * FROM audit_entries'),
      rows('SELECT * FROM tool_calls'),
    ])
    expect(all).not.toContain(secret)
    expect(all).not.toContain('hunter22')
    expect(all).not.toContain('abc12345')
    expect(all.split('[secret: ').length).toBeGreaterThan(10)
    expect(await audit.verify()).toMatchObject({ valid: true, entries: 5 })
  })

  it('is kept back when looking for secrets fails, and is as it was without', async () => {
    const failing = open({
      redact: () => {
        throw new Error('broken')
      },
    })
    await failing.recordCall({ ...call, phase: 'done', input: { a: 'secret' }, output: 'secret' })
    expect(await failing.calls()).toMatchObject([
      {
        arguments: expect.stringMatching(/^\[withheld/),
        output: expect.stringMatching(/withheld/),
      },
    ])
    const plain = open({ redact: false })
    await plain.recordCall({
      ...call,
      toolCallId: '2',
      phase: 'done',
      input: { password: 'x1x2x3' },
    })
    expect(await plain.calls({ limit: 1 })).toMatchObject([{ arguments: { password: 'x1x2x3' } }])
  })

  it('is bounded, at the end of a character, and says how much there was', async () => {
    const bounded = open({ maxTextBytes: 10 })
    await bounded.recordCall({
      ...call,
      phase: 'done',
      output: '語'.repeat(100),
      input: ['x'.repeat(50)],
    })
    expect(await bounded.calls()).toMatchObject([
      {
        output: '語語語\n[the first 9 of 300 bytes]',
        arguments: { cut: { bytes: 54 }, beginning: '["xxxxxxxx' },
      },
    ])
    for (const maxTextBytes of [0, -1, 1.5, Number.NaN]) {
      expect(() => open({ maxTextBytes })).toThrow(
        expect.objectContaining({ code: 'invalid_argument' }),
      )
    }
  })

  it('takes whatever a tool was given and gave', async () => {
    const cycle: { self?: unknown } = {}
    cycle.self = cycle
    let deep: unknown = 1
    for (let depth = 0; depth < 100_000; depth++) deep = [deep]
    const values = [undefined, null, '', 0, cycle, 10n, deep, '\ud83d', { '\udc69': '\0' }, () => 1]
    for (const [index, value] of values.entries()) {
      const one = { ...call, toolCallId: String(index) }
      await audit.recordCall({ ...one, phase: 'done', input: value, output: value })
    }
    expect(await audit.calls()).toHaveLength(values.length)
    expect(await audit.verify()).toMatchObject({ valid: true })
    expect(rows('SELECT output_text FROM tool_calls WHERE seq > 12')).toHaveLength(4)
  })
})

describe('a decision', () => {
  it('is noted once, with who made it, why, and what it covers', async () => {
    const record = decided({
      outcome: 'yes_always',
      reason: 'fine',
      scope: { covers: { '/path': { prefix: 'src' } }, uses: 3 },
    })
    expect(await audit.recordDecision(record, { who: 'ada@example.org', taskId: 't' })).toBe(true)
    expect(await audit.recordDecision(record, { who: 'someone else' })).toBe(false)
    expect(
      rows('SELECT id, outcome, who, reason, scope_json, decided_at FROM tool_decisions'),
    ).toEqual([
      {
        id: 'd',
        outcome: 'yes_always',
        who: 'ada@example.org',
        reason: 'fine',
        scope_json: '{"covers":{"/path":{"prefix":"src"}},"uses":3}',
        decided_at: 5,
      },
    ])
    await audit.recordCall({ ...call, phase: 'queued' })
    expect((await audit.query({ kind: 'decision' }))[0]?.payload['callId']).toBe(
      (await audit.calls())[0]?.id,
    )
  })

  it('that takes one back names it, and what became of a permission is no decision', async () => {
    await audit.recordDecision(decided({ outcome: 'no', revokes: 'before' }))
    const { outcome: _outcome, ...rest } = decided() as ConfirmationRecord & { outcome: string }
    await audit.recordDecision({ ...rest, id: 'e', event: 'used', policyId: 'before' })
    expect(rows('SELECT id, outcome, revokes FROM tool_decisions')).toEqual([
      { id: 'd', outcome: 'no', revokes: 'before' },
    ])
    expect(await audit.query({ kind: 'policy' })).toMatchObject([
      { payload: { event: 'used', policyId: 'before', decisionId: 'e' } },
    ])
  })
})

describe('a task', () => {
  it('is followed in a table of its own', async () => {
    await audit.recordTask({
      taskId: 't',
      conversationId: 'c',
      phase: 'ingress',
      message: 'A message came.',
    })
    await audit.recordTask({
      taskId: 't',
      conversationId: 'c',
      phase: 'done',
      message: 'Answered.',
    })
    await audit.recordTask({ taskId: 'u', phase: 'failed', message: 'No model.' })
    expect(
      rows(`SELECT task_id, phase, message, created_at FROM task_audit WHERE task_id = 't'`),
    ).toEqual([
      { task_id: 't', phase: 'ingress', message: 'A message came.', created_at: 1_000 },
      { task_id: 't', phase: 'done', message: 'Answered.', created_at: 1_001 },
    ])
  })
})

describe('a query', () => {
  beforeEach(async () => {
    for (let index = 0; index < 20; index++) {
      const one = {
        conversationId: `c${index % 2}`,
        taskId: `t${index % 3}`,
        toolCallId: String(index),
        toolName: index % 5 === 0 ? 'bash' : 'read',
      }
      await audit.recordCall({ ...one, phase: 'queued', input: { path: `file "${index}" 100%` } })
      if (index % 4 === 0)
        await audit.recordCall({ ...one, phase: 'done', output: `Found ${index}\nx` })
    }
    await audit.recordTask({ taskId: 't0', phase: 'done', message: 'Über 100%_' })
  })

  const numbers = (found: readonly { seq: number }[]) => found.map(({ seq }) => seq)

  it.each([
    [{}, 26],
    [{ conversationId: 'c1' }, 10],
    [{ taskId: 't0' }, 10],
    [{ taskId: 't0', kind: 'task' }, 1],
    [{ toolName: 'bash' }, 5],
    [{ status: 'done' }, 5],
    [{ status: 'queued', toolName: 'bash' }, 4],
    [{ conversationId: 'c0', status: 'done' }, 5],
    [{ kind: 'refusal' }, 0],
    [{ since: 1_005 }, 21],
    [{ since: 1_005, until: 1_010 }, 5],
    [{ text: '"12" 100%' }, 1],
    [{ text: 'FOUND 1' }, 2],
    [{ text: '8\nX' }, 1],
    [{ text: '100%_' }, 1],
    [{ text: '%' }, 21],
    [{ text: '!' }, 0],
    [{ conversationId: "c0' OR 1=1 --" }, 0],
  ] as const)('by %j finds %d entries', async (filter, count) => {
    expect(await audit.query(filter)).toHaveLength(count)
  })

  it.each([
    [{}, 20],
    [{ status: 'queued' }, 15],
    [{ status: 'done', conversationId: 'c0', taskId: 't1' }, 2],
    [{ text: 'found 1' }, 2],
    [{ text: '"12"' }, 1],
    [{ toolName: 'bash', status: 'done' }, 1],
    [{ outcome: 'success' }, 5],
    [{ outcome: 'success', status: 'queued' }, 0],
    [{ outcome: 'denied' }, 0],
    [{ until: 1_000 }, 0],
  ] as const)('by %j finds %d calls', async (filter, count) => {
    expect(await audit.calls(filter)).toHaveLength(count)
  })

  it('comes in pages, newest first, of which none is seen twice or passed over', async () => {
    const seen: number[] = []
    for (let before: number | undefined; ; before = seen.at(-1)) {
      const page = await audit.query({ limit: 4, ...(before !== undefined && { before }) })
      if (page.length === 0) break
      seen.push(...numbers(page))
    }
    expect(seen).toEqual(Array.from({ length: 26 }, (_, index) => 26 - index))
    const first = await audit.calls({ limit: 7 })
    const second = await audit.calls({ limit: 100, before: first.at(-1)!.seq })
    expect([...first, ...second]).toEqual(await audit.calls())
    await expect(audit.query({ limit: 0 })).rejects.toEqual(
      expect.objectContaining({ code: 'invalid_argument' }),
    )
  })
})

it('says that its database is closed, whatever it is asked', async () => {
  database.close()
  const closed = expect.objectContaining({ code: 'database_closed' })
  await expect(audit.query()).rejects.toEqual(closed)
  await expect(audit.calls()).rejects.toEqual(closed)
  await expect(audit.head()).rejects.toEqual(closed)
  await expect(audit.recordTask({ taskId: 't', phase: 'done', message: '' })).rejects.toEqual(
    closed,
  )
  await expect(audit.verify()).rejects.toEqual(closed)
  await expect(verifyJsonl(audit.exportJsonl())).rejects.toEqual(closed)
})

describe('lines', () => {
  async function exported(filter = {}): Promise<string[]> {
    const lines: string[] = []
    for await (const line of audit.exportJsonl(filter)) lines.push(line)
    return lines
  }

  beforeEach(async () => {
    for (let index = 0; index < 1_200; index++) {
      await audit.recordTask({
        taskId: `t${index % 3}`,
        phase: 'model',
        message: `"${index}"\n語\ud83d`,
      })
    }
  })

  it('are all entries, oldest first, and can be checked without the database', async () => {
    const lines = await exported()
    expect(lines.map(readLine)).toEqual(
      [
        ...(await audit.query({ limit: 1_000 })),
        ...(await audit.query({ limit: 1_000, before: 201 })),
      ].toReversed(),
    )
    const head = await audit.head()
    expect(await verifyJsonl(lines, { head })).toEqual({ valid: true, entries: 1_200, head })
    expect(await verifyJsonl(lines.map((line) => `${line}\r\n`))).toMatchObject({ valid: true })
    expect(await verifyJsonl(lines.slice(100))).toMatchObject({ valid: true, entries: 1_100 })
    expect(await verifyJsonl([])).toMatchObject({ valid: true, entries: 0 })
  })

  it('are lines to whatever reads lines', async () => {
    await audit.recordTask({ taskId: 't', phase: 'done', message: 'a\u2028b\u2029c\u0085d\re\nf' })
    const line = (await exported()).at(-1)!
    expect(line).not.toMatch(/[\n\r\u2028\u2029]/)
    expect(readLine(line)).toMatchObject({
      payload: { message: 'a\u2028b\u2029c\u0085d\re\nf' },
    })
    expect(await verifyJsonl(await exported())).toMatchObject({ valid: true })
  })

  it('hide nothing, whatever is in what they tell', async () => {
    // Every control, bidi control, zero-width character and separator, a tag and half of a character
    const codes = [...Array(32).keys(), 0x7f, ...Array.from({ length: 32 }, (_, at) => 0x80 + at)]
    const hidden = [...codes, 0xad, 0x61c, 0x180e, 0x2028, 0x2029, 0x3164, 0xfeff, 0xe0041]
      .concat(Array.from({ length: 16 }, (_, at) => 0x200b + at))
      .concat(Array.from({ length: 16 }, (_, at) => 0x2060 + at))
      .map((code) => `a${String.fromCodePoint(code)}b`)
    const texts = [...hidden, '=1+1', String.raw`\u202e`, '"},"hash":"0', '\ud83d']
    for (const text of texts) {
      const named = { ...call, toolCallId: text, toolName: text, conversationId: text }
      await audit.recordCall({ ...named, phase: 'queued', input: { [text]: text } })
      await audit.recordCall({ ...named, phase: 'failed', outcome: 'error', error: text })
      await audit.recordRefusal({
        code: 'outside',
        toolName: text,
        toolCallId: text,
        message: text,
        subject: text,
      })
      await audit.recordTask({ taskId: text, phase: 'done', message: text })
    }
    const lines = await exported()
    expect(lines).toHaveLength(1_200 + 4 * texts.length)
    expect(lines.filter((line) => countHidden(line) > 0)).toEqual([])
    expect(lines.slice(1_200).map(readLine)).toEqual(
      (await audit.query({ limit: 4 * texts.length })).toReversed(),
    )
    for (const text of hidden) {
      expect((await audit.query({ text })).length).toBeGreaterThanOrEqual(4)
      expect(await audit.query({ toolName: text })).toHaveLength(3)
    }
    expect(await verifyJsonl(lines)).toMatchObject({ valid: true })
    expect(await audit.verify()).toMatchObject({ valid: true })
  })

  it('of a filter are checked one by one', async () => {
    const lines = await exported({ taskId: 't1' })
    expect(lines).toHaveLength(400)
    expect(await verifyJsonl(lines)).toMatchObject({ valid: false, why: 'missing', firstBad: 3 })
    expect(await verifyJsonl(lines, { isFiltered: true })).toMatchObject({
      valid: true,
      entries: 400,
    })
    const changed = lines.with(7, lines[7]!.replace('語', '话'))
    expect(await verifyJsonl(changed, { isFiltered: true })).toMatchObject({
      valid: false,
      why: 'changed',
      firstBad: 23,
    })
  })

  it('that were changed, taken away, put in, moved or cut off are found out', async () => {
    const lines = await exported()
    const head = await audit.head()
    const swapped = lines.with(4, lines[5]!).with(5, lines[4]!)
    const cases = [
      [lines.with(4, lines[4]!.replace('"4\\"', '"5\\"')), 5, 'changed'],
      [lines.with(4, lines[4]!.replace('"model"', '"MODEL"')), 5, 'changed'],
      [lines.toSpliced(4, 1), 5, 'missing'],
      [lines.toSpliced(4, 0, lines[4]!), 5, 'unlinked'],
      [swapped, 5, 'missing'],
      [lines.with(4, lines[4]!.replace(':5,', ': 5,')), 5, 'malformed'],
      [lines.with(4, 'no line'), 5, 'malformed'],
      [lines.with(4, '[]'), 5, 'malformed'],
      [lines.slice(0, -1), 1_200, 'missing'],
    ] as const
    for (const [bad, firstBad, why] of cases) {
      expect(await verifyJsonl(bad, { head })).toMatchObject({ valid: false, firstBad, why })
    }
  })
})
