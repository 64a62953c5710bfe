import { AUDIT_OPENING } from './audit/audit-opening.ts'
import { AUDIT_TABLES } from './audit/audit-tables.ts'
import { AUDIT_TEXT } from './audit/audit-text.ts'
import { DECIDERS } from './chat/deciders.ts'
import { LEDGER_FUNCTIONS, LEDGER_TABLES } from './chat/ledger-tables.ts'
import { LEDGER_STORE } from './chat/ledger-store.ts'
import { STREAM_TABLES } from './chat/stream-tables.ts'
import { CHANNEL_TABLES } from './conversations/channel-tables.ts'
import { RECORDS_TABLES } from './conversations/records-tables.ts'
import { LONE_ATTEMPTS } from './tasks/lone-attempts.ts'
import { FORGET_TASKS, REPLY_DELIVERIES, REPLY_TABLES } from './tasks/reply-tables.ts'
import { TASK_FUNCTIONS, TASK_TABLES } from './tasks/task-tables.ts'
import { PROCESS_TABLES } from './process-tables.ts'
import {
  TELEGRAM_DRAFTS,
  TELEGRAM_MOVES,
  TELEGRAM_PLACES,
  TELEGRAM_TABLES,
} from './telegram/telegram-tables.ts'
import { VERSION_TABLE } from './version-table.ts'

/**
 * All that was ever done to the tables, in order: a database knows how many of these it has seen.
 *
 * To add to them: write the SQL as a constant in a file of the folder that owns the tables, and append it
 * here. What has been released is never changed, only followed by another one, and a function keeps
 * what it does: another body is another name (`…_v2`). Processes of the release before run beside.
 */
export const MIGRATIONS: readonly string[] = [
  VERSION_TABLE,
  RECORDS_TABLES,
  TASK_TABLES + TASK_FUNCTIONS,
  STREAM_TABLES,
  LEDGER_TABLES + LEDGER_FUNCTIONS,
  LONE_ATTEMPTS,
  DECIDERS,
  CHANNEL_TABLES,
  PROCESS_TABLES,
  REPLY_TABLES + FORGET_TASKS,
  TELEGRAM_TABLES,
  AUDIT_TABLES,
  LEDGER_STORE,
  REPLY_DELIVERIES,
  TELEGRAM_PLACES,
  TELEGRAM_MOVES,
  AUDIT_TEXT,
  AUDIT_OPENING,
  TELEGRAM_DRAFTS,
]
