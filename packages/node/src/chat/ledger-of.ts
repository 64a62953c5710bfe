import type { ToolSet } from 'ai'
import type { ApprovalLedger } from './approval-ledger.ts'
import type { ChatHandlerOptions } from './chat-options.ts'
import { ChatHandlerError } from './handler-errors.ts'
import { memoryLedger } from './memory-ledger.ts'
import { sqliteLedger } from './sqlite-ledger.ts'

const DAY_MS = 86_400_000

/**
 * The ledger of approvals: the app's own, one in its database, or one in memory. Where tools run on the
 * server the app says which, as a ledger in memory forgets what has run.
 *
 * @param maxAgeMs how long an approval can be used; the ledger remembers it for longer
 * @throws ChatHandlerError `ledger_missing`
 */
export function ledgerOf<TOOLS extends ToolSet, USER>(
  { ledger, database, tools }: ChatHandlerOptions<TOOLS, USER>,
  maxAgeMs: number,
  now: () => number,
): ApprovalLedger {
  if (ledger !== undefined && ledger !== 'memory') return ledger
  const keepMs = Math.max(30 * DAY_MS, 2 * maxAgeMs)
  if (ledger === undefined && database) return sqliteLedger(database, { keepMs, now })
  if (ledger === undefined && mayRun(tools)) {
    throw new ChatHandlerError(
      'ledger_missing',
      'Tools run on this server, so say where it remembers which calls have run: give database, or a ledger of your own. ' +
        "With ledger: 'memory' a restart forgets it: approvals from before are asked for anew, and of calls that ran unasked nothing is known.",
    )
  }
  return memoryLedger({ keepMs, now })
}

/** Whether calls may run here, or at the provider after an approval that this server hands over. */
function mayRun(tools: unknown): boolean {
  if (typeof tools === 'function') return true
  return Object.values(Object(tools)).some((tool) => {
    const { execute, isProviderExecuted } = Object(tool)
    return execute !== undefined || isProviderExecuted === true
  })
}
