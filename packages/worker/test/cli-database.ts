import { type AssentDatabase, auditLog, openDatabase } from '@assent/node'
import { sqliteInbox } from '../src/index.ts'

/** Puts a few calls, a decision, a refusal and tasks into a file, as servers and workers do. */
export async function fillDatabase(path: string): Promise<AssentDatabase> {
  const database = openDatabase(path)
  let time = Date.parse('2026-11-20T10:00:00Z')
  const now = () => (time += 1_000)
  const audit = auditLog(database, { now })
  const call = {
    conversationId: 'c1',
    messageId: 'm1',
    step: 1,
    toolCallId: 'k1',
    toolName: 'write',
  }
  await audit.recordCall({ ...call, phase: 'queued', input: { path: 'a.txt', content: 'x' } })
  await audit.recordDecision(
    {
      ...call,
      id: 'd1',
      outcome: 'yes',
      reason: 'go on',
      fingerprint: 'f',
      at: time,
    },
    { who: 'ada' },
  )
  await audit.recordCall({ ...call, phase: 'running' })
  await audit.recordCall({ ...call, phase: 'done', output: 'Wrote a.txt' })
  const other = { conversationId: 'c2', toolCallId: 'k2', toolName: 'bash' }
  await audit.recordCall({ ...other, phase: 'running', input: { command: 'ls \u202e' } })
  await audit.recordCall({
    ...other,
    phase: 'failed',
    outcome: 'timeout',
    error: 'Its time was up.',
  })
  await audit.recordRefusal(
    {
      code: 'outside',
      toolName: 'read',
      toolCallId: 'k3',
      message: 'It is outside.',
      subject: '../x',
    },
    { conversationId: 'c1' },
  )
  await audit.recordTask({
    taskId: 't2',
    conversationId: 'c2',
    phase: 'failed',
    message: 'It failed.',
  })

  const inbox = sqliteInbox(database, { now })
  await inbox.add({ id: 't1', conversationId: 'c1', input: 'list the files' })
  for (const id of ['t2', 't3']) {
    await inbox.add({ id, conversationId: `c-${id}`, input: `say ${id}`, maxAttempts: 1 })
  }
  const first = await inbox.claim({ worker: 'w', leaseMs: 1_000_000 })
  if (first?.task.id !== 't1') throw new Error('t1 comes first')
  for (const id of ['t2', 't3']) {
    const claim = await inbox.claim({ worker: 'w', leaseMs: 1_000_000 })
    if (claim?.task.id !== id) throw new Error(`${id} comes next`)
    await inbox.fail(claim, { code: 'model_down', message: 'The model is gone.' }, undefined)
  }
  await inbox.park(first, {
    calls: [
      {
        messageId: 'm2',
        step: 1,
        toolCallId: 'k4',
        toolName: 'write',
        kind: 'approval',
        input: { path: 'b.txt' },
        summary: 'Write b.txt',
        requestReason: 'It changes a file.',
        risk: 'write',
      },
    ],
    refused: [],
  })
  return database
}
