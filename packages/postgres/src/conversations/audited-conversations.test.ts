import { auditedConversationsConformance } from '@assent/node/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/test-database.ts'
import { postgresAudit } from '../audit/postgres-audit.ts'
import type { AssentPostgres } from '../open-postgres.ts'
import { postgresConversations } from './postgres-conversations.ts'

let test: TestDatabase
let one: AssentPostgres
let other: AssentPostgres

beforeAll(async () => {
  test = await createTestDatabase()
  one = await test.open()
  other = await test.open()
})

afterEach(async () => {
  await test.client.query('drop function if exists assent.broken cascade')
  await test.empty()
})

afterAll(() => test.end())

describe('postgresConversations with an audit', () => {
  it.each(auditedConversationsConformance())('$name', async ({ run }) => {
    const made = run(async ({ isNotedElsewhere }) => ({
      conversations: postgresConversations(one, { audit: postgresAudit(one), isNotedElsewhere }),
      other: postgresConversations(other, { audit: postgresAudit(other), isNotedElsewhere }),
      audit: postgresAudit(other),
      async breakAudit() {
        await test.client.query(
          `create function assent.broken() returns trigger language plpgsql as
             $$ begin raise exception 'broken'; end $$;
           create trigger broken before insert on assent.audit_entries
             for each row execute function assent.broken()`,
        )
      },
    }))
    await expect(made).resolves.toBeUndefined()
  })

  it('refuse the audit of another database, which no transaction has in it', () => {
    expect(() => postgresConversations(one, { audit: postgresAudit(other) })).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    )
  })
})
