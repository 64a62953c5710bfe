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

beforeEach(() => {
  scratch = createScratch()
  one = openDatabase(join(scratch.path, 'data.db'))
  other = openDatabase(join(scratch.path, 'data.db'))
})

afterEach(() => {
  one.close()
  other.close()
  scratch.remove()
})

describe('sqliteConversations with an audit', () => {
  it.each(auditedConversationsConformance())('$name', async ({ run }) => {
    const made = run(async ({ isNotedElsewhere }) => ({
      conversations: sqliteConversations(one, { audit: auditLog(one), isNotedElsewhere }),
      other: sqliteConversations(other, { audit: auditLog(other), isNotedElsewhere }),
      audit: auditLog(other),
      breakAudit() {
        one.sqlite.exec(
          `CREATE TRIGGER broken BEFORE INSERT ON audit_entries BEGIN SELECT RAISE(ABORT, 'broken'); END`,
        )
      },
    }))
    await expect(made).resolves.toBeUndefined()
  })

  it('refuse the audit of another database, which no transaction has in it', () => {
    expect(() => sqliteConversations(one, { audit: auditLog(other) })).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    )
  })
})
