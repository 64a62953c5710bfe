// Looks into an audit of a million entries: `node --conditions=@assent/source bench/audit-at-scale.ts [entries]`.
// It prints what each look takes, and for how long verifying holds the event loop at most.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { auditLog, openDatabase, type AuditLog } from '@assent/node'

const ENTRIES = Number(process.argv[2] ?? 1_000_000)
const CHUNK = 2_000

const folder = mkdtempSync(join(tmpdir(), 'assent-audit-'))
const database = openDatabase(join(folder, 'audit.db'), { synchronous: 'normal' })
try {
  let at = Date.now() - ENTRIES
  const audit = auditLog(database, { now: () => at++, redact: false })
  const began = performance.now()
  for (let call = 0; call * 3 < ENTRIES; call += CHUNK) await fill(audit, call)
  say('writing one entry', (performance.now() - began) / ENTRIES)
  const middle = Date.now() - ENTRIES / 2
  await look('a page of all', () => audit.query())
  await look('a page of the kind call', () => audit.query({ kind: 'call' }))
  await look('a page of the kind refusal, which there is not', () =>
    audit.query({ kind: 'refusal' }),
  )
  await look('a page of what failed', () => audit.query({ status: 'failed' }))
  await look('a page before a time', () => audit.query({ until: middle }))
  await look('a page of a thousandth of the time', () =>
    audit.query({ since: middle, until: middle + ENTRIES / 1_000 }),
  )
  await look('a text that is nowhere', () => audit.query({ text: 'nowhere at all' }))
  await look('a text that is in a few', () => audit.query({ text: 'file-77777' }))
  await look('a text that is everywhere', () => audit.query({ text: 'src/file' }))
  await look('a text of the kind call', () => audit.query({ text: 'No such file', kind: 'call' }))
  await look('calls with a text that is nowhere', () => audit.calls({ text: 'nowhere at all' }))
  await look('calls with a text that is in a few', () => audit.calls({ text: 'file-77777' }))
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const started = performance.now()
  const { valid } = await audit.verify()
  say(`verifying (${valid ? 'valid' : 'BROKEN'})`, performance.now() - started)
  say('longest hold of the event loop meanwhile', delay.max / 1e6)
} finally {
  await database.close()
  rmSync(folder, { recursive: true })
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

/** As one transaction, so that the disk does not count. */
async function fill(audit: AuditLog, from: number): Promise<void> {
  const noting: Promise<boolean>[] = []
  await database.transaction(() => {
    for (let index = from; index < from + CHUNK && index * 3 < ENTRIES; index++) {
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
