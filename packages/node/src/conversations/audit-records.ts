import { isToolCallPart, type ConfirmationRecord } from '@assent/engine'
import { conversationOf } from '@assent/engine/storage'
import type { JSONValue, UIMessage } from 'ai'
import { z } from 'zod'
import type { AuditLog } from '../audit/audit-log.ts'
import { callsOf, changeOf } from '../audit/engine-calls.ts'
import { encodeName } from '../sqlite/names.ts'
import type { AssentDatabase } from '../sqlite/open-database.ts'

/** Options of {@link auditRecords}. */
export interface AuditRecordsOptions {
  readonly database: AssentDatabase
  readonly audit: AuditLog
  /** Whether the calls of a tool are noted where they run; then only denials are noted here. */
  readonly isNotedElsewhere: (toolName: string) => boolean
}

const PART = /^(message\/\d{8})\/\d+$/

/**
 * Notes in the audit what the records of a conversation tell that a page has written: what became of its
 * calls, and who decided how. To be called in the transaction of the write, after it: an audit in the same database belongs to that.
 * Resolves when all is noted.
 */
export function auditRecords({
  database,
  audit,
  isNotedElsewhere,
}: AuditRecordsOptions): (
  namespace: string,
  put: readonly (readonly [string, JSONValue])[],
  who: string,
) => Promise<void> {
  const ofMessage = database.sqlite.prepare(
    `SELECT key, value FROM conversation_records
     WHERE namespace = ? AND key >= ? AND key < ? ORDER BY key`,
  )

  function readMessage(namespace: string, key: string): UIMessage | undefined {
    const rows = ofMessage.all(encodeName(namespace), key, `${key}0`)
    let head: { id: string; role: UIMessage['role'] } | undefined
    const parts: UIMessage['parts'] = []
    for (const row of rows) {
      const value: unknown = JSON.parse(String(row['value']))
      if (row['key'] === key) head = messageHead.safeParse(value).data
      else if (isPart(value)) parts.push(value)
    }
    return head && { ...head, parts }
  }

  function noteCalls(
    namespace: string,
    { id, owner }: { readonly id: string; readonly owner: string | undefined },
    key: string,
  ): readonly Promise<unknown>[] {
    const message = readMessage(namespace, key)
    return (message ? callsOf(message) : []).flatMap((call) => {
      const change = changeOf(call, { conversationId: id, owner, taskId: undefined })
      if (!change) return []
      if (isNotedElsewhere(change.toolName) && change.outcome !== 'denied') return []
      return [audit.recordCall(change)]
    })
  }

  return async (namespace, put, who) => {
    const conversation = conversationOf(namespace)
    if (!conversation) return
    const messages = new Set<string>()
    const noting: Promise<unknown>[] = []
    for (const [key, value] of put) {
      if (key.startsWith('confirmation/')) {
        const record = confirmation.safeParse(value).data
        // It is about this conversation: one that is written into another is of that.
        if (record?.conversationId === conversation.id) {
          noting.push(audit.recordDecision(record, { who, owner: conversation.owner }))
        }
      } else if (isPart(value) && isToolCallPart(value)) {
        const [, message] = PART.exec(key) ?? []
        if (message !== undefined) messages.add(message)
      }
    }
    for (const key of messages) noting.push(...noteCalls(namespace, conversation, key))
    await Promise.all(noting)
  }
}

const messageHead = z.object({ id: z.string(), role: z.enum(['system', 'user', 'assistant']) })

const confirmation = z.custom<ConfirmationRecord>(
  (value) =>
    z
      .looseObject({
        id: z.string(),
        conversationId: z.string(),
        messageId: z.string(),
        step: z.number(),
        toolCallId: z.string(),
        toolName: z.string(),
        fingerprint: z.string(),
        at: z.number(),
      })
      .and(
        z.union([
          z.looseObject({ outcome: z.enum(['yes', 'yes_always', 'no']) }),
          z.looseObject({
            policyId: z.string(),
            event: z.enum([
              'used',
              'call-failed',
              'schema-changed',
              'expired',
              'suspended',
              'resumed',
            ]),
          }),
        ]),
      )
      .safeParse(value).success,
)

function isPart(value: unknown): value is UIMessage['parts'][number] {
  return (
    typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
  )
}
