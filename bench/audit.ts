import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { auditLog, openDatabase, type AssentDatabase, type AuditLog } from '@assent/node'
import { figure, type Figure } from './figures.ts'
import { race } from './measure.ts'

const ENTRIES = 100_000
/** As many as a call takes: queued, running, done. */
const PER_CALL = 3
const CONVERSATIONS = 500

/** What it costs to write the audit, to look something up in it, and to verify it. */
export async function measureAudit(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'assent-bench-'))
  const database = openDatabase(join(folder, 'audit.db'))
  try {
    const audit = auditLog(database)
    await fill(database, audit)
    return await measureFilled(audit)
  } finally {
    await database.close()
    rmSync(folder, { recursive: true })
  }
}

async function measureFilled(audit: AuditLog): Promise<Figure[]> {
  let written = ENTRIES
  const size = `audit of ${ENTRIES.toLocaleString('en')} entries`
  const conversationId = 'conversation 7'
  const page = async (what: string, look: () => Promise<readonly unknown[]>, atMost: number) =>
    figure({
      name: `${size}: a page ${what}`,
      value: (await cost(look, { looks: 20 })) / 1_000,
      unit: 'ms',
      budget: { of: 'value', atMost },
    })
  return [
    await page('of all', async () => await audit.query(), 10),
    await page(
      'of what failed in a conversation',
      async () => await audit.query({ conversationId, status: 'failed' }),
      10,
    ),
    await page('of the calls that failed', async () => await audit.calls({ status: 'failed' }), 10),
    await page('of a task', async () => await audit.query({ taskId: 'task 7', kind: 'call' }), 10),
    await page(
      'with a text that is nowhere',
      async () => await audit.query({ text: 'nowhere at all' }),
      250,
    ),
    figure({
      name: `${size}: verifying all of it`,
      value: (await cost(() => verify(audit), { looks: 1 })) / 1_000,
      unit: 'ms',
      budget: { of: 'value', atMost: 3_000 },
    }),
    figure({
      name: `${size}: writing one more`,
      value: (await cost(() => noteCall(audit, written++), { looks: 50 })) / PER_CALL,
      unit: 'µs',
      budget: { of: 'value', atMost: 500 },
    }),
  ]
}

/** Microseconds of a look; several are one run, since each run waits for the garbage collector. */
async function cost(look: () => unknown, { looks }: { looks: number }): Promise<number> {
  const prepare = () => async () => {
    for (let count = 0; count < looks; count++) await look()
  }
  const contestant = { name: 'ours', units: looks, prepare }
  const costs = await race([contestant], { warmups: 1, repetitions: 3 })
  return costs.get(contestant.name) ?? Number.NaN
}

async function verify(audit: AuditLog): Promise<void> {
  const verification = await audit.verify()
  if (!verification.valid) throw new Error(verification.message)
}

async function fill(database: AssentDatabase, audit: AuditLog): Promise<void> {
  // As one, so that the disk does not count.
  const noting: Promise<void>[] = []
  await database.transaction(() => {
    for (let call = 0; call * PER_CALL < ENTRIES; call++) noting.push(noteCall(audit, call))
  })
  await Promise.all(noting)
}

async function noteCall(audit: AuditLog, index: number): Promise<void> {
  const call = {
    conversationId: `conversation ${index % CONVERSATIONS}`,
    taskId: `task ${index % 5_000}`,
    messageId: `message ${index}`,
    step: 1,
    toolCallId: `call ${index}`,
    toolName: index % 3 === 0 ? 'bash' : 'read',
  }
  const input = { path: `src/file-${index}.ts`, command: 'grep -n "to do" src | head -20' }
  const noting = [
    audit.recordCall({ ...call, phase: 'queued', input }),
    audit.recordCall({ ...call, phase: 'running', startedAt: index }),
  ]
  if (index % 20 === 0) {
    noting.push(
      audit.recordCall({ ...call, phase: 'failed', outcome: 'error', error: 'No such file.' }),
    )
  } else {
    const output = 'line of output\n'.repeat(10)
    noting.push(audit.recordCall({ ...call, phase: 'done', output }))
  }
  await Promise.all(noting)
}
