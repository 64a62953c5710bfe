import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createScratch, type Scratch } from '../../test/scratch.ts'
import { auditLog } from '../audit/sqlite-audit.ts'
import { type AssentDatabase, openDatabase } from '../sqlite/open-database.ts'
import { sqliteConversations } from '../sqlite/sqlite-conversations.ts'
import { auditedConversationsConformance } from '../testing/index.ts'

let scratch: Scratch
let one: AssentDatabase
let other: AssentDatabase
let third: AssentDatabase

beforeEach(() => {
  scratch = createScratch()
  one = openDatabase(join(scratch.path, 'data.db'))
  other = openDatabase(join(scratch.path, 'data.db'))
  third = openDatabase(join(scratch.path, 'data.db'))
})

afterEach(() => {
  one.close()
  other.close()
  third.close()
  scratch.remove()
})

describe.each([1, 3])('sqliteConversations with an audit, on %d connections', (count) => {
  const second = () => (count === 1 ? one : other)

  it.each(auditedConversationsConformance())('$name', async ({ run }) => {
    const made = run(async ({ isNotedElsewhere }) => ({
      conversations: sqliteConversations(one, { audit: auditLog(one), isNotedElsewhere }),
      other: sqliteConversations(second(), { audit: auditLog(second()), isNotedElsewhere }),
      audit: auditLog(count === 1 ? one : third),
      breakAudit() {
        one.sqlite.exec(
          `CREATE TRIGGER broken BEFORE INSERT ON audit_entries BEGIN SELECT RAISE(ABORT, 'broken'); END`,
        )
      },
    }))
    await expect(made).resolves.toBeUndefined()
  })
})

describe('sqliteConversations with an audit', () => {
  it('refuse the audit of another database, which no transaction has in it', () => {
    expect(() => sqliteConversations(one, { audit: auditLog(other) })).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    )
  })
})
