import { ENTRY_COLUMNS, toStoredEntry } from '@assent/node/audit'
import { auditConformance, type TestedAudit } from '@assent/node/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/test-database.ts'
import type { AssentPostgres } from '../open-postgres.ts'
import { AUDIT_TEXT } from './audit-text.ts'
import { postgresAudit } from './postgres-audit.ts'

let test: TestDatabase
let one: AssentPostgres
let other: AssentPostgres

beforeAll(async () => {
  test = await createTestDatabase()
  one = await test.open()
  other = await test.open()
})

afterEach(async () => {
  await test.client.query('set session_replication_role = origin')
  await test.setClock(undefined)
  await test.empty()
})

afterAll(() => test.end())

/** By a connection for which no trigger works. */
async function forge(sql: string, ...values: readonly unknown[]): Promise<void> {
  await test.client.query('set session_replication_role = replica')
  await test.client.query(sql, [...values])
}

const forger: TestedAudit['forger'] = {
  async entries() {
    const sql = `select ${ENTRY_COLUMNS} from assent.audit_entries order by seq`
    return (await test.client.query<Record<string, unknown>>(sql)).rows.map(toStoredEntry)
  },
  remove: (seq) => forge('delete from assent.audit_entries where seq = $1', seq),
  insert({ seq, at, kind, payload, body, erasedAt, prevHash, hash }) {
    const { owner = null, who = null } = JSON.parse(body ?? '{}')
    const values = [seq, at, kind, payload, body, erasedAt, prevHash, hash, owner, who]
    return forge(
      `insert into assent.audit_entries
         (seq, at, kind, payload, body, erased_at, prev_hash, hash, owner, who)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      ...values,
    )
  },
  lead: ({ seq, hash }) => forge('update assent.audit_head set seq = $1, hash = $2', seq, hash),
  failCalls: () => forge(`update assent.tool_calls set status = 'failed'`),
  removeCalls: () => forge('delete from assent.tool_calls'),
}

const audits = () => ({
  audit: postgresAudit(one, { redact: false }),
  other: postgresAudit(other, { redact: false }),
})

describe('postgresAudit', () => {
  it.each(auditConformance())('$name', async ({ run }) => {
    await expect(run(async () => ({ ...audits(), forger }))).resolves.toBeUndefined()
  })

  it('goes by the clock of the database, whatever the machines say', async () => {
    const { audit } = audits()
    await test.setClock(2_000_000_000_000)
    await audit.recordCall({ toolCallId: '1', toolName: 'write', phase: 'running' })
    expect((await audit.query()).map(({ at }) => at)).toEqual([2e12, 2e12])
    expect(await audit.calls()).toMatchObject([{ queuedAt: 2e12, startedAt: 2e12 }])
  })

  it('writes what it can when one of what comes together cannot be written', async () => {
    const { audit } = audits()
    const note = (taskId: string) => audit.recordTask({ taskId, phase: 'done', message: '' })
    const noted = await Promise.allSettled([note('a'), note('x'.repeat(400_000)), note('b')])
    expect(noted.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect((await audit.query()).map(({ payload }) => payload['taskId'])).toEqual(['b', 'a'])
    expect(await audit.verify()).toMatchObject({ valid: true, entries: 2 })
  })

  it.each([
    'update assent.audit_entries set at = 0',
    'update assent.audit_entries set body = null',
    'delete from assent.audit_entries',
  ])('is not changed by %j', async (sql) => {
    const { audit } = audits()
    await audit.recordTask({ taskId: 't', phase: 'done', message: 'Over.' })
    await expect(test.client.query(sql)).rejects.toThrow(/only added to/)
    expect(await audit.verify()).toMatchObject({ valid: true, entries: 1 })
  })

  it('finds a text by an index, and without one where it cannot be had', async () => {
    const { audit } = audits()
    const note = (taskId: string, message: string) =>
      audit.recordTask({ taskId, phase: 'done', message })
    await note('a', 'The marigold is in bloom.')
    await audit.recordCall({
      toolCallId: '1',
      toolName: 'read',
      phase: 'done',
      output: 'Marigold seeds',
    })
    const look = async () => [
      (await audit.query({ text: 'MARIGOLD' })).length,
      (await audit.query({ text: 'ma' })).length,
      (await audit.calls({ text: 'marigold' })).length,
    ]
    const planOf = async (table: string, column: string) => {
      await test.client.query('set enable_seqscan = off; set enable_indexscan = off')
      const { rows } = await test.client.query<{ 'QUERY PLAN': string }>(
        `explain select from assent.${table} where ${column} ilike '%marigold%'`,
      )
      await test.client.query('reset all')
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    }
    expect(await look()).toEqual([2, 2, 1])
    expect(await planOf('audit_entries', 'body')).toContain('audit_entries_by_text')
    expect(await planOf('audit_entries', 'payload')).toContain('audit_entries_by_text')
    expect(await planOf('tool_calls', 'output_json')).toContain('tool_calls_by_text')

    await test.client.query('drop extension pg_trgm cascade')
    expect(await look()).toEqual([2, 2, 1])
    // As the first start does, for a user who may not add it, and for one who may.
    const migrateAs = async (role: string) => {
      await test.client.query(`begin; set local role ${role}; ${AUDIT_TEXT}; commit`)
      return planOf('audit_entries', 'body')
    }
    const role = `nobody_${process.pid}`
    await test.client.query(
      `create role ${role}; grant usage, create on schema assent to ${role};
       grant select on all tables in schema assent to ${role}`,
    )
    expect(await migrateAs(role)).not.toContain('by_text')
    await test.client.query(`drop owned by ${role}; drop role ${role}`)
    expect(await migrateAs('none')).toContain('audit_entries_by_text')
    expect(await look()).toEqual([2, 2, 1])
  })

  it('leaves a large audit without an index rather than keep all waiting', async () => {
    await test.client.query('drop index assent.audit_entries_by_text')
    await test.client.query(
      `insert into assent.audit_entries (seq, at, kind, payload, prev_hash, hash)
       select n, n, 'task', '{}', '', '' from generate_series(1, 50001) as n`,
    )
    await test.client.query(AUDIT_TEXT)
    const indexOf = async () => {
      const name = `select to_regclass('assent.audit_entries_by_text') as name`
      return (await test.client.query<{ name: string | null }>(name)).rows[0]?.name
    }
    expect(await indexOf()).toBe(null)
    await test.empty()
    await test.client.query(AUDIT_TEXT)
    expect(await indexOf()).not.toBe(null)
  })

  it('says that an end is noted once it is on disk, though the chain goes on before that', async () => {
    const { audit } = audits()
    const lsnOf = async (name: string) => {
      const sql = `select (pg_current_wal_${name}_lsn() - '0/0')::float8 as at`
      return (await test.client.query<{ at: number }>(sql)).rows[0]?.at ?? Number.NaN
    }
    const message = Array.from({ length: 4_000 }, (_, at) => at.toString(36)).join(' ')
    for (let count = 0; count < 10; count++) {
      const from = await lsnOf('insert')
      await audit.recordTask({ taskId: `t${count}`, phase: 'done', message })
      expect((await lsnOf('flush')) - from).toBeGreaterThan(message.length / 2)
    }
  })

  it('finds out who files an entry under somebody else', async () => {
    const { audit } = audits()
    await audit.recordTask({ taskId: 't', owner: 'ada', phase: 'done', message: 'Over.' })
    await forge(`update assent.audit_entries set owner = 'bob'`)
    expect(await audit.verify()).toMatchObject({ valid: false, why: 'changed', firstBad: 1 })
  })

  it('says that it was closed', async () => {
    const closed = await test.open()
    const audit = postgresAudit(closed)
    await closed.close()
    await expect(audit.query()).rejects.toMatchObject({ code: 'database_closed' })
    await expect(audit.verify()).rejects.toMatchObject({ code: 'database_closed' })
    const noting = audit.recordTask({ taskId: 't', phase: 'done', message: '' })
    await expect(noting).rejects.toMatchObject({ code: 'database_closed' })
  })
})
