import assert from 'node:assert/strict'
import type { AuditLog } from '../audit/audit-log.ts'
import { verifyJsonl } from '../audit/export-audit.ts'
import { ADA, auditTest, CALL, decision, fill, type AuditTest } from './tested-audit.ts'

const phases = async (audit: AuditLog) =>
  (await audit.query()).map(({ payload }) => payload['phase'])

async function linesOf(audit: AuditLog): Promise<string[]> {
  const lines: string[] = []
  for await (const line of audit.exportJsonl()) lines.push(line)
  return lines
}

async function assertValid(audit: AuditLog, entries: number): Promise<void> {
  const head = await audit.head()
  assert.deepEqual(await audit.verify(), { valid: true, entries, head })
  const lines = await linesOf(audit)
  assert.equal(lines.length, entries)
  if (entries > 0)
    assert.deepEqual(await verifyJsonl(lines, { head }), { valid: true, entries, head })
}

/** What an audit does as long as nobody spoils it. */
export const AUDIT_TESTS: readonly AuditTest[] = [
  auditTest('is empty and valid before anything is noted', async ({ audit, other }) => {
    assert.deepEqual(await audit.query(), [])
    assert.deepEqual(await other.calls(), [])
    assert.equal((await other.head()).seq, 0)
    await assertValid(audit, 0)
  }),
  auditTest('follows a call over processes, each transition once', async ({ audit, other }) => {
    const running = { ...CALL, phase: 'running', startedAt: 7 } as const
    assert.equal(await audit.recordCall({ ...CALL, phase: 'queued', input: { a: 1 } }), true)
    assert.equal(await other.recordCall({ ...CALL, phase: 'queued', input: { a: 1 } }), false)
    assert.equal(await other.recordCall(running), true)
    assert.equal(await audit.recordCall(running), false)
    assert.equal(await audit.recordCall({ ...CALL, phase: 'done', output: { ok: true } }), true)
    assert.equal(await other.recordCall({ ...CALL, phase: 'done' }), false)
    assert.deepEqual(await phases(other), ['done', 'running', 'queued'])
    const [call] = await other.calls()
    assert.equal(call?.status, 'done')
    assert.equal(call.output, '{"ok":true}')
    assert.deepEqual([call.arguments, call.attempts, call.startedAt], [{ a: 1 }, 1, 7])
    await assertValid(other, 3)
  }),
  auditTest(
    'tells with its end of a start that was not noted, and of one that was once',
    async ({ audit, other }) => {
      await audit.recordCall({ ...CALL, phase: 'running', startedAt: 7, input: {} })
      await audit.recordCall({ ...CALL, phase: 'queued' })
      await other.recordCall({ ...CALL, phase: 'done', startedAt: 9 })
      const starts = (await audit.query()).map(({ payload }) => payload['startedAt'])
      assert.deepEqual(starts, [9, undefined, 7, undefined])
      assert.equal((await other.calls())[0]?.startedAt, 9)
      await other.recordCall({ ...CALL, phase: 'failed', outcome: 'error', startedAt: 9 })
      assert.equal((await audit.query({ limit: 1 }))[0]?.payload['startedAt'], undefined)
      await assertValid(audit, 5)
    },
  ),
  auditTest('keeps the order in which it was told, also at once', async ({ audit }) => {
    const noting = Array.from({ length: 250 }, (_, index) =>
      audit.recordTask({ taskId: 't', phase: 'model', message: String(index) }),
    )
    const interrupting = audit.interruptRunning({})
    noting.push(audit.recordTask({ taskId: 't', phase: 'done', message: '250' }))
    await Promise.all([...noting, interrupting])
    const messages = (await audit.query({ limit: 1_000 })).map(({ payload }) => payload['message'])
    assert.deepEqual(
      messages.toReversed(),
      Array.from({ length: 251 }, (_, index) => String(index)),
    )
    await assertValid(audit, 251)
  }),
  auditTest('is one chain, whoever of two writes at once', async ({ audit, other }) => {
    const noting = Array.from({ length: 60 }, (_, index) => {
      const one = index % 2 === 0 ? audit : other
      const call = { ...CALL, toolCallId: String(index % 7) }
      return index % 3 === 0
        ? one.recordTask({ taskId: 't', phase: 'model', message: '' })
        : one.recordCall({ ...call, phase: 'running', startedAt: index, input: { index } })
    })
    await Promise.all(noting)
    const seqs = (await audit.query({ limit: 1_000 })).map(({ seq }) => seq)
    assert.deepEqual(
      seqs,
      Array.from({ length: seqs.length }, (_, index) => seqs.length - index),
    )
    await assertValid(other, seqs.length)
  }),
  auditTest('notes a decision once, whoever notes it', async ({ audit, other }) => {
    const told = await Promise.all([
      audit.recordDecision(decision()),
      audit.recordDecision(decision()),
      other.recordDecision(decision()),
    ])
    assert.deepEqual(told.filter(Boolean), [true])
    assert.equal((await other.query({ kind: 'decision' })).length, 1)
  }),
  auditTest(
    'joins a decision to its call, also where that was noted by fewer names',
    async ({ audit, other }) => {
      const { messageId: _, step: _step, ...call } = CALL
      await audit.recordCall({ ...CALL, phase: 'queued' })
      await audit.recordCall({ ...call, phase: 'queued' })
      await audit.recordDecision(decision())
      await audit.recordDecision(decision({ id: 'e' }), { call })
      const calls = (await other.calls()).map(({ id }) => id)
      const entries = await other.query({ kind: 'decision' })
      assert.deepEqual(
        entries.map(({ payload }) => payload['callId']),
        calls,
      )
      assert.equal(new Set(calls).size, 2)
    },
  ),
  auditTest('interrupts what runs, once, and nothing else', async ({ audit, other }) => {
    await audit.recordCall({ ...CALL, phase: 'running' })
    await audit.recordCall({ ...CALL, toolCallId: '2', phase: 'queued' })
    await audit.recordCall({ ...CALL, conversationId: 'elsewhere', phase: 'running' })
    assert.equal(await other.interruptRunning({ conversationId: 'c' }), 1)
    assert.equal(await audit.interruptRunning({ conversationId: 'c' }), 0)
    const stands = (await audit.calls()).map(({ outcome, status }) => outcome ?? status)
    assert.deepEqual(stands, ['running', 'queued', 'interrupted'])
    await assertValid(audit, 6)
  }),
  auditTest('finds what is asked for, in pages, and texts as they are', async (tested) => {
    await fill(tested)
    const { audit, other } = tested
    const count = async (filter: Parameters<AuditLog['query']>[0]) =>
      (await other.query(filter)).length
    assert.equal(await count({ conversationId: 'c' }), 6)
    assert.equal(await count({ taskId: 't', kind: 'task' }), 1)
    assert.equal(await count({ toolName: 'write' }), 6)
    assert.equal(await count({ status: 'queued' }), 2)
    assert.equal(await count({ kind: 'refusal', conversationId: 'c' }), 1)
    assert.equal(await count({ text: 'SECRET.T' }), 1)
    assert.equal(await count({ text: '"it"\n\0 \u202e語' }), 1)
    assert.equal(await count({ text: 's%' }), 0)
    assert.equal(await count({ text: '語' }), 1)
    const [newest] = await audit.query()
    assert.ok(newest)
    assert.equal(await count({ since: newest.at + 1 }), 0)
    assert.equal(await count({ until: newest.at + 1 }), 8)
    assert.equal(await count({ since: newest.at + 0.5, until: Infinity }), 0)
    assert.equal(await count({ since: -Infinity, until: newest.at + 0.5 }), 8)
    await assert.rejects(audit.calls({ since: Number.NaN }), { code: 'invalid_argument' })
    assert.equal(await audit.interruptRunning({ conversationId: 'nowhere', until: 0.5 }), 0)
    assert.equal((await audit.query({ before: Infinity, limit: 20 })).length, 8)
    const page = await audit.query({ limit: 3 })
    const rest = await audit.query({ before: page[2]?.seq ?? 0 })
    assert.deepEqual([...page, ...rest], await other.query())
    assert.equal((await audit.calls({ text: '"it"\n\0 \u202e' })).length, 1)
    assert.equal((await audit.calls({ text: 'nowhere' })).length, 0)
    assert.equal((await audit.calls({ status: 'done', toolName: 'write' })).length, 1)
    assert.equal((await audit.calls())[1]?.output, 'found "it"\n\u2400 \u202e語')
    await assert.rejects(audit.query({ limit: 0 }), { code: 'invalid_argument' })
  }),
  auditTest('erases a conversation, and is still valid and says so', async (tested) => {
    await fill(tested)
    const { audit, other } = tested
    const head = await audit.head()
    const before = await other.query({ conversationId: 'c' })
    assert.equal(await audit.erase({ conversationId: 'c' }, { who: 'grace' }), 6)
    assert.equal(await other.erase({ conversationId: 'c' }), 0)
    const lines = await linesOf(other)
    for (const said of ['secret.txt', 'my reason', 'found', ADA, '/etc', 'Answered']) {
      assert.ok(!lines.join('\n').includes(said), `${said} is still there.`)
      assert.deepEqual(await other.query({ text: said }), [])
      assert.deepEqual(await other.calls({ text: said }), [])
    }
    const after = (await other.query({ conversationId: 'c' })).toReversed()
    const named = before.toReversed().map(({ seq, at, kind, hash }) => [seq, at, kind, hash, true])
    assert.deepEqual(
      after
        .slice(0, 6)
        .map(({ seq, at, kind, hash, erasedAt }) => [seq, at, kind, hash, erasedAt !== undefined]),
      named,
    )
    assert.equal(after[3]?.payload['toolName'], 'write')
    assert.equal(after[6]?.kind, 'erasure')
    assert.equal(after[6].payload['who'], 'grace')
    const [kept, erased] = await other.calls()
    assert.deepEqual(kept?.arguments, { path: 'kept.txt' })
    assert.deepEqual([erased?.arguments, erased?.output, erased?.status], [{}, undefined, 'done'])
    assert.ok(erased?.erasedAt)
    assert.equal((await other.verify({ head })).valid, true)
    await assertValid(other, 9)
    // Who runs an erased call may still note how far it is, and nothing that was said.
    const said = { owner: ADA, input: { path: 'later.txt' }, error: 'later failed' }
    await audit.recordCall({ ...CALL, ...said, phase: 'running', startedAt: 9 })
    await audit.recordCall({ ...CALL, ...said, phase: 'failed', outcome: 'error' })
    for (const text of ['later', ADA]) assert.deepEqual(await other.query({ text }), [])
    const [, again] = await other.calls()
    assert.deepEqual(
      [again?.status, again?.attempts, again?.arguments, again?.error],
      ['failed', 2, {}, undefined],
    )
    await assertValid(other, 11)
  }),
  auditTest('erases all of a user, also what only the conversation tells', async (tested) => {
    await fill(tested)
    const { audit, other } = tested
    await audit.recordDecision(
      { ...decision({ id: 'e', reason: 'as a colleague' }), conversationId: 'elsewhere' },
      { who: ADA, owner: 'bob' },
    )
    assert.equal(await audit.erase({ user: ADA }, { who: ADA }), 7)
    const lines = (await linesOf(other)).join('\n')
    for (const said of [ADA, 'secret.txt', 'as a colleague', 'Answered']) {
      assert.ok(!lines.includes(said), `${said} is still there.`)
    }
    assert.ok(lines.includes('kept.txt'))
    await assertValid(other, 10)
    await assert.rejects(audit.erase({ user: '' }), { code: 'invalid_argument' })
  }),
]
