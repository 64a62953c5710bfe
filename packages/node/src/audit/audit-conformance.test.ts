import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createScratch, type Scratch } from '../../test/scratch.ts'
import { openDatabase, type AssentDatabase } from '../sqlite/open-database.ts'
import { auditConformance } from '../testing/audit-conformance.ts'
import type { TestedAudit } from '../testing/tested-audit.ts'
import { ENTRY_COLUMNS, toStoredEntry } from './entry-rows.ts'
import { auditLog } from './sqlite-audit.ts'

let scratch: Scratch
const opened: AssentDatabase[] = []

beforeEach(() => {
  scratch = createScratch()
})

afterEach(() => {
  for (const database of opened.splice(0)) database.close()
  scratch.remove()
})

function open(): AssentDatabase {
  const database = openDatabase(join(scratch.path, 'audit.db'), { synchronous: 'normal' })
  opened.push(database)
  return database
}

/** By a connection for which nothing refuses anything. */
function forgerOf({ sqlite }: AssentDatabase): TestedAudit['forger'] {
  const triggers = sqlite
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'audit_%'`)
    .all()
  const forge = (sql: string, ...values: (string | number | null)[]) => {
    for (const { name } of triggers) sqlite.exec(`DROP TRIGGER IF EXISTS ${String(name)}`)
    sqlite.prepare(sql).run(...values)
  }
  return {
    entries: async () =>
      sqlite
        .prepare(`SELECT ${ENTRY_COLUMNS} FROM audit_entries ORDER BY seq`)
        .all()
        .map(toStoredEntry),
    remove: async (seq) => forge('DELETE FROM audit_entries WHERE seq = ?', seq),
    insert: async ({ seq, at, kind, payload, body, erasedAt, prevHash, hash }) =>
      forge(
        `INSERT INTO audit_entries (seq, at, kind, payload, body, erased_at, prev_hash, hash)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        seq,
        at,
        kind,
        payload,
        body,
        erasedAt,
        prevHash,
        hash,
      ),
    lead: async ({ seq, hash }) => forge('UPDATE audit_head SET seq = ?, hash = ?', seq, hash),
    failCalls: async () => forge(`UPDATE tool_calls SET status = 'failed'`),
    removeCalls: async () => forge('DELETE FROM tool_calls'),
  }
}

describe.each([1, 3])('auditLog on %d connections', (count) => {
  it.each(auditConformance())('$name', async ({ run }) => {
    const made = run(async () => {
      const databases = Array.from({ length: count }, open)
      const [one, other] = [databases[0]!, databases.at(-1)!]
      return {
        audit: auditLog(one, { redact: false }),
        other: auditLog(other, { redact: false }),
        forger: forgerOf(databases[1] ?? one),
      }
    })
    await expect(made).resolves.toBeUndefined()
  })
})
