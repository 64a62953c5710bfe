import { AUDIT_BODIES } from '../audit/audit-bodies.ts'
import { AUDIT_TABLES } from '../audit/audit-tables.ts'
import {
  APPROVAL_LEDGER,
  CHAT_TABLES,
  DECIDERS,
  LEDGER_STORE,
  UNASKED_RUNS,
} from '../chat/chat-tables.ts'
import { CHANNEL_TABLES } from './channel-tables.ts'
import { SCHEMA_TABLE } from './schema-table.ts'
import {
  TELEGRAM_DRAFTS,
  TELEGRAM_MOVES,
  TELEGRAM_PLACES,
  TELEGRAM_TABLES,
} from './telegram-tables.ts'
import {
  LEASE_LENGTHS,
  LONE_ATTEMPTS,
  REPLY_DELIVERIES,
  REPLY_EPOCHS,
  TASK_TABLES,
} from './task-tables.ts'
import { NAMESPACE_LEASES, RECORDS_TABLE } from './records-table.ts'

/**
 * All that was ever done to the tables, in order: the version of a file (`PRAGMA user_version`) is the
 * number of those that it has seen.
 *
 * Processes of the release before go on beside: a migration adds tables, and columns that may be missing in what they write. What
 * they used is taken away by a later release, whose migration raises `oldest` of `assent_schema` to the number
 * of those that a process must know from then on.
 *
 * To add tables: write their SQL as a constant in a file of the folder that owns them, or of this one when another
 * package does: a file has one version, whoever opens it (STRICT tables;
 * as many statements as needed, no `BEGIN`), and append it here. What has been released is never
 * changed, only followed by another one.
 */
export const MIGRATIONS: readonly string[] = [
  RECORDS_TABLE,
  TASK_TABLES,
  AUDIT_TABLES,
  CHAT_TABLES,
  TELEGRAM_TABLES,
  NAMESPACE_LEASES,
  APPROVAL_LEDGER,
  UNASKED_RUNS,
  LONE_ATTEMPTS,
  DECIDERS,
  CHANNEL_TABLES,
  REPLY_EPOCHS,
  SCHEMA_TABLE,
  AUDIT_BODIES,
  LEDGER_STORE,
  REPLY_DELIVERIES,
  TELEGRAM_PLACES,
  TELEGRAM_MOVES,
  TELEGRAM_DRAFTS,
  LEASE_LENGTHS,
]
