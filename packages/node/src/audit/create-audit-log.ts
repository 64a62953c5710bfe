import { createRedactor, type Redact } from '@assent/engine/redaction'
import { encodeName } from '@assent/engine/storage'
import { DatabaseError } from '../sqlite/database-error.ts'
import { toEntry } from './audit-entry.ts'
import type { AuditFilter, AuditPage } from './audit-filter.ts'
import type { AuditLog } from './audit-log.ts'
import type { AuditDraft, AuditRange, AuditStore } from './audit-store.ts'
import { auditTexts, readableText, type AuditTexts } from './audit-texts.ts'
import { toAuditedCall } from './audited-call.ts'
import { erase } from './erase.ts'
import { exportEntries } from './export-audit.ts'
import { callWrite, interruption } from './record-call.ts'
import { decisionWrite, type AuditContext } from './record-decision.ts'
import { verifyAudit } from './verify-audit.ts'

/** What is written of texts, on every database. */
export interface AuditTextOptions {
  /**
   * Masks secrets in arguments, outputs, errors, reasons and refusals before they are written.
   * Default: `createRedactor()`; `false` masks nothing.
   */
  readonly redact?: Redact | false
  /** UTF-8 bytes that are kept of arguments, an output or a text. Default 51,200. */
  readonly maxTextBytes?: number
}

/** An audit over a database's own part of it. */
export function createAuditLog(
  store: AuditStore,
  { redact = createRedactor(), maxTextBytes = 51_200 }: AuditTextOptions = {},
): AuditLog {
  if (!Number.isInteger(maxTextBytes) || maxTextBytes < 1) {
    throw new DatabaseError('invalid_argument', 'maxTextBytes is a whole number from 1.')
  }
  const texts = auditTexts(redact === false ? undefined : redact, maxTextBytes)
  const names = ({ conversationId, taskId, owner }: AuditContext) => ({
    owner: owner === undefined ? undefined : encodeName(owner),
    conversationId: conversationId === undefined ? undefined : encodeName(conversationId),
    taskId: taskId === undefined ? undefined : encodeName(taskId),
  })

  async function add(
    draft: AuditDraft,
    options: { durability?: 'strict' | 'relaxed' } = {},
  ): Promise<boolean> {
    return (await store.write({ ...options, plan: () => [draft] })) > 0
  }

  const log: AuditLog = {
    recordCall: async (change) => (await store.write(callWrite(change, texts))) > 0,
    recordDecision: async (record, context = {}) =>
      (await store.write(decisionWrite(record, context, texts))) > 0,
    async recordRefusal({ code, toolName, toolCallId, message, subject }, context = {}) {
      const payload = {
        ...names(context),
        toolName: encodeName(toolName),
        toolCallId: encodeName(toolCallId),
        code,
        subject: texts.text(subject, toolName),
        message: texts.text(message, toolName),
      }
      await add({ kind: 'refusal', payload })
    },
    async recordTask({ phase, message, ...context }) {
      const isOver = phase === 'done' || phase === 'failed'
      const payload = { ...names(context), phase, message: texts.text(message) }
      await add({ kind: 'task', payload }, { durability: isOver ? 'strict' : 'relaxed' })
    },
    interruptRunning: async (which) => store.interrupt(asStored(which), interruption),
    query: async (filter = {}) =>
      (await store.entries(asStored(filter), rangeOf(filter))).map(toEntry),
    calls: async (filter = {}) =>
      (await store.calls(asStored(filter), rangeOf(filter))).map(toAuditedCall),
    erase: (subject, context = {}) => erase(store, subject, context),
    head: () => store.head(),
    verify: (options = {}) => verifyAudit(store, options),
    exportJsonl: (filter = {}) => exportEntries(store, asStored(filter)),
  }
  parts.set(log, { store, texts })
  return log
}

/** What an audit is made of. */
export interface AuditParts {
  readonly store: AuditStore
  readonly texts: AuditTexts
}

const parts = new WeakMap<AuditLog, AuditParts>()

/** What an audit is made of: for who writes entries in a transaction of their own. */
export function auditParts(audit: AuditLog): AuditParts | undefined {
  return parts.get(audit)
}

/** A filter whose text and times are looked for as they are stored. */
function asStored<FILTER extends AuditFilter>(filter: FILTER): FILTER {
  const { text, since, until } = filter
  return {
    ...filter,
    ...(text !== undefined && { text: readableText(text) }),
    ...(since !== undefined && { since: wholeFrom('since', since) }),
    ...(until !== undefined && { until: wholeFrom('until', until) }),
  }
}

function rangeOf({ limit = 100, before }: AuditPage): AuditRange {
  if (!Number.isInteger(limit) || limit < 1) {
    throw new DatabaseError('invalid_argument', 'limit is a whole number from 1.')
  }
  return {
    limit: Math.min(limit, 1_000),
    before: before === undefined ? before : wholeFrom('before', before),
  }
}

/** The first whole number from a number on: those that are stored are whole, and not all databases compare others. */
function wholeFrom(name: string, value: number): number {
  if (Number.isNaN(value)) throw new DatabaseError('invalid_argument', `${name} is a number.`)
  const { MIN_SAFE_INTEGER, MAX_SAFE_INTEGER } = Number
  return Math.min(Math.max(Math.ceil(value), MIN_SAFE_INTEGER), MAX_SAFE_INTEGER)
}
