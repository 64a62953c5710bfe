// Looks into audits of a million entries, in SQLite and in PostgreSQL, measured in one run:
//
//   node --conditions=@assent/source bench/audit-at-scale.ts [entries]
//
// What each look takes, and for how long verifying holds the event loop at most.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { auditLog, openDatabase, type AuditLog } from '@assent/node'
import { openPostgres, postgresAudit } from '@assent/postgres'
import { startEmbedded } from '../packages/postgres/test/embedded-server.ts'
import { longestHold } from './longest-hold.ts'

const ENTRIES = Number(process.argv[2] ?? 1_000_000)
/** Entries that are written together. */
const CHUNK = 6_000

interface Filled {
  readonly audit: AuditLog
  /** Writes what is noted in it as one, where that is faster. */
  readonly together: (note: () => void) => Promise<void>
  /** What the database does by itself a minute after it was filled. */
  readonly settle?: () => Promise<unknown>
}

async function lookInto({ audit, together, settle }: Filled): Promise<void> {
  const began = performance.now()
  for (let from = 0; from < ENTRIES; from += CHUNK) await fill(from, audit, together)
  say('writing one entry, of many', (performance.now() - began) / ENTRIES)
  await settle?.()
  const [latest] = await audit.query({ limit: 1 })
  const [first] = await audit.query({ before: 2 })
  const [since, until] = [first?.at ?? 0, latest?.at ?? 0]
  const middle = since + (until - since) / 2
  await look('a page of all', () => audit.query())
  await look('a page of the kind call', () => audit.query({ kind: 'call' }))
  await look('a page of the kind refusal, which there is not', () =>
    audit.query({ kind: 'refusal' }),
  )
  await look('a page of what failed', () => audit.query({ status: 'failed' }))
  await look('a page before a time', () => audit.query({ until: middle }))
  await look('a page of a thousandth of the time', () =>
    audit.query({ since: middle, until: middle + (until - since) / 1_000 }),
  )
  await look('a text that is nowhere', () => audit.query({ text: 'nowhere at all' }))
  await look('a text that is in a few', () => audit.query({ text: 'file-77777' }))
  await look('a text that is everywhere', () => audit.query({ text: 'src/file' }))
  await look('a text of the kind call', () => audit.query({ text: 'No such file', kind: 'call' }))
  await look('calls with a text that is nowhere', () => audit.calls({ text: 'nowhere at all' }))
  await look('calls with a text that is in a few', () => audit.calls({ text: 'file-77777' }))
  const started = performance.now()
  const { result, ms } = await longestHold(() => audit.verify())
  say(`verifying (${result.valid ? 'valid' : 'BROKEN'})`, performance.now() - started)
  say('longest hold of the event loop meanwhile', ms)
}

async function look(what: string, ask: () => Promise<readonly unknown[]>): Promise<void> {
  const times: number[] = []
  let found = 0
  for (let round = 0; round < 5; round++) {
    const began = performance.now()
    found = (await ask()).length
    times.push(performance.now() - began)
  }
  say(`${what} (${found} found)`, times.toSorted((one, other) => one - other)[2] ?? 0)
}

function say(what: string, ms: number): void {
  process.stdout.write(`${ms.toFixed(3).padStart(12)} ms  ${what}\n`)
}

/** Three entries a call, until it is enough. */
async function fill(from: number, audit: AuditLog, together: Filled['together']): Promise<void> {
  const noting: Promise<boolean>[] = []
  await together(() => {
    for (let entry = from; entry < Math.min(from + CHUNK, ENTRIES); entry += 3) {
      const index = entry / 3
      const call = {
        conversationId: `conversation ${index % 5_000}`,
        messageId: `message ${index}`,
        step: 1,
        toolCallId: `call ${index}`,
        toolName: index % 3 === 0 ? 'bash' : 'read',
      }
      const input = { path: `src/file-${index}.ts`, command: 'grep -n "to do" src | head -20' }
      noting.push(
        audit.recordCall({ ...call, phase: 'queued', input }),
        audit.recordCall({ ...call, phase: 'running', startedAt: index }),
        index % 20 === 0
          ? audit.recordCall({ ...call, phase: 'failed', outcome: 'error', error: 'No such file.' })
          : audit.recordCall({ ...call, phase: 'done', output: 'line of output\n'.repeat(10) }),
      )
    }
  })
  await Promise.all(noting)
}

const folder = mkdtempSync(join(tmpdir(), 'assent-audit-'))
const file = openDatabase(join(folder, 'audit.db'), { synchronous: 'normal' })
try {
  process.stdout.write(`${ENTRIES.toLocaleString('en')} entries in SQLite\n`)
  // As one transaction, so that the disk does not count.
  const together = (note: () => void): Promise<void> => file.transaction(note)
  await lookInto({ audit: auditLog(file, { redact: false }), together })
} finally {
  await file.close()
  rmSync(folder, { recursive: true })
}

const server = await startEmbedded({ name: 'assent-bench-audit-' })
const database = await openPostgres({ url: server.url })
try {
  process.stdout.write(`${ENTRIES.toLocaleString('en')} entries in PostgreSQL\n`)
  const together = async (note: () => void): Promise<void> => note()
  const settle = () => database.query('analyze assent.audit_entries, assent.tool_calls')
  await lookInto({ audit: postgresAudit(database, { redact: false }), together, settle })
} finally {
  await database.close()
  await server.stop()
}
