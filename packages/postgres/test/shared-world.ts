import { join } from 'node:path'
import { auditLog, openDatabase, sqliteConversations, type MayDecide } from '@assent/node'
import { onTestFinished } from 'vitest'
import { createScratch } from '../../node/test/scratch.ts'
import { postgresAudit } from '../src/audit/postgres-audit.ts'
import { postgresConversations } from '../src/conversations/postgres-conversations.ts'
import { serve } from './shared-pages.ts'
import type { TestDatabase } from './test-database.ts'

/** What conversations are shared by. */
export const BACKENDS = ['SQLite', 'PostgreSQL'] as const

/** Lets some users decide. */
export function only(...names: readonly string[]): MayDecide<string> {
  return ({ user }) => names.includes(user)
}

/** Starts servers of conversations with one database, which is of this test alone. */
export function sharedWorld(postgres: TestDatabase, backend: (typeof BACKENDS)[number]) {
  const open = backend === 'SQLite' ? openSqlite() : openPostgres(postgres)
  return async (
    mayDecide: MayDecide<string>,
    more: { readonly freeCommands?: readonly string[] } = {},
  ) => {
    const { audit, conversations } = await open()
    return { audit, conversations, ...(await serve(conversations, { mayDecide, ...more })) }
  }
}

function openSqlite() {
  const scratch = createScratch()
  onTestFinished(() => scratch.remove())
  return async () => {
    const database = openDatabase(join(scratch.path, 'assent.db'))
    onTestFinished(() => database.close())
    const audit = auditLog(database)
    return { audit, conversations: sqliteConversations(database, { audit }) }
  }
}

function openPostgres(postgres: TestDatabase) {
  onTestFinished(async () => {
    await postgres.close()
    await postgres.empty()
  })
  return async () => {
    const database = await postgres.open()
    const audit = postgresAudit(database)
    return { audit, conversations: postgresConversations(database, { audit }) }
  }
}
