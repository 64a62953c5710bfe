import type { AuditLog } from '@assent/node'
import type { WorkerStores } from '@assent/worker'
import { postgresAudit } from '../audit/postgres-audit.ts'
import { postgresConversations } from '../conversations/postgres-conversations.ts'
import { eraseFromPostgres } from '../erasing/erase-from-postgres.ts'
import type { AssentPostgres } from '../open-postgres.ts'
import { postgresInbox, type PostgresInbox, type PostgresInboxOptions } from './postgres-inbox.ts'
import { postgresReplies } from './postgres-replies.ts'

/** The stores of a database. */
export interface PostgresStores extends WorkerStores {
  readonly inbox: PostgresInbox
  readonly audit: AuditLog
}

/** How often pages look where no bell is heard. */
const LOOK_MS = 2_000

/**
 * Everything that workers and admin handlers keep, in one database: for any number of processes on any number of
 * machines.
 *
 * @param options those of its inbox
 */
export function postgresStores(
  database: AssentPostgres,
  options: PostgresInboxOptions = {},
): PostgresStores {
  const inbox = postgresInbox(database, options)
  return {
    inbox,
    conversations: postgresConversations(database),
    replies: postgresReplies(database),
    erase: (subject, context) => eraseFromPostgres(database, subject, context),
    close: () => database.close(),
    audit: postgresAudit(database),
    changes: {
      closed: database.closed,
      subscribe(listener) {
        const unsubscribe = inbox.subscribe(listener)
        const timer = setInterval(() => {
          if (!database.news.isLive) listener()
        }, LOOK_MS)
        timer.unref()
        return () => {
          clearInterval(timer)
          unsubscribe()
        }
      },
    },
  }
}
