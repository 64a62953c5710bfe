import { isToolCallPart, type ConfirmationRecord } from '@assent/engine'
import { conversationOf, type DecidedBy } from '@assent/engine/storage'
import type { JSONValue, UIMessage } from 'ai'
import { z } from 'zod'
import type { AuditWrite } from '../audit/audit-store.ts'
import type { AuditTexts } from '../audit/audit-texts.ts'
import { callsOf, changeOf } from '../audit/engine-calls.ts'
import { callWrite } from '../audit/record-call.ts'
import { decisionWrite } from '../audit/record-decision.ts'

/** Records that a page has written. */
export interface WrittenRecords {
  readonly namespace: string
  readonly put: ReadonlyMap<string, JSONValue>
  /** Who wrote them. */
  readonly who: string
  /** Who made the decisions in them, by their ids, where that is known to be another one. */
  readonly decidedBy?: ReadonlyMap<string, DecidedBy> | undefined
  /** Whether the calls of a tool are noted where they run; then only denials are noted here. */
  readonly isNotedElsewhere: (toolName: string) => boolean
}

const HEAD = /^message\/\d{8}$/
const PART = /^(message\/\d{8})\/\d+$/

/** Under which keys the messages are whose calls may have changed: all that begin with one is of that message. */
export function messagesWithCalls(put: ReadonlyMap<string, JSONValue>): readonly string[] {
  const messages = new Set<string>()
  for (const [key, value] of put) {
    if (!isPart(value) || !isToolCallPart(value)) continue
    const [, message] = PART.exec(key) ?? []
    if (message !== undefined) messages.add(message)
  }
  return [...messages]
}

/**
 * What an audit notes of records that a page has written: what became of its calls, and who decided how.
 *
 * @param messages the records of each of {@link messagesWithCalls}, as they are now, in the order of their keys
 */
export function writesOfRecords(
  { namespace, put, who, decidedBy, isNotedElsewhere }: WrittenRecords,
  messages: readonly ReadonlyMap<string, JSONValue>[],
  texts: AuditTexts,
): readonly AuditWrite[] {
  const conversation = conversationOf(namespace)
  if (!conversation) return []
  const { id: conversationId, owner } = conversation
  const decisions = [...put].flatMap(([key, value]) => {
    const record = key.startsWith('confirmation/') ? confirmation.safeParse(value).data : undefined
    // It is about this conversation: one that is written into another is of that.
    if (record?.conversationId !== conversationId) return []
    const { toolCallId, toolName } = record
    // Under the name that its call has there.
    const call = isNotedElsewhere(toolName) ? { conversationId, toolCallId } : undefined
    return [decisionWrite(record, { who, owner, call, ...decidedBy?.get(record.id) }, texts)]
  })
  const calls = messages.flatMap((records) => {
    const message = toMessage(records)
    return (message ? callsOf(message) : []).flatMap((call) => {
      const change = changeOf(call, { conversationId, owner, taskId: undefined })
      if (!change) return []
      if (!isNotedElsewhere(change.toolName)) return [callWrite(change, texts)]
      if (change.outcome !== 'denied') return []
      // Under the name that it has there, where nobody knows its message.
      return [callWrite({ ...change, messageId: undefined, step: undefined }, texts)]
    })
  })
  return [...decisions, ...calls]
}

function toMessage(records: ReadonlyMap<string, JSONValue>): UIMessage | undefined {
  let head: { id: string; role: UIMessage['role'] } | undefined
  const parts: UIMessage['parts'] = []
  for (const [key, value] of records) {
    if (HEAD.test(key)) head = messageHead.safeParse(value).data
    else if (isPart(value)) parts.push(value)
  }
  return head && { ...head, parts }
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
              'refused',
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
