import { isDecision, type ConfirmationRecord } from '@assent/engine'
import { useLocalStorage } from '@vueuse/core'
import { z } from 'zod'

const callRecord = z.strictObject({
  id: z.string().min(1),
  conversationId: z.string(),
  messageId: z.string(),
  step: z.number(),
  toolCallId: z.string(),
  toolName: z.string(),
  fingerprint: z.string(),
  at: z.number(),
})
const pattern = z.union([
  z.strictObject({ prefix: z.string() }),
  z.strictObject({ glob: z.string() }),
  z.strictObject({ oneOf: z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])) }),
  z.strictObject({ min: z.number().optional(), max: z.number().optional() }),
])
const scope = z.strictObject({
  covers: z.union([z.enum(['tool', 'input']), z.record(z.string(), pattern)]).optional(),
  where: z.enum(['conversation', 'everywhere']).optional(),
  until: z.number().optional(),
  uses: z.number().optional(),
})
const confirmationRecord: z.ZodType<ConfirmationRecord> = z.union([
  callRecord.extend({
    outcome: z.enum(['yes', 'yes_always', 'no']),
    reason: z.string().optional(),
    scope: scope.optional(),
    editedInput: z.unknown().optional(),
    schema: z.string().optional(),
    revokes: z.string().optional(),
  }),
  callRecord.extend({
    policyId: z.string(),
    event: z.enum(['used', 'call-failed', 'schema-changed']),
  }),
])
const keptRecord = z.strictObject({ record: confirmationRecord, summary: z.string().optional() })

/** A record, and the sentence of the call that it is about, which other conversations cannot tell. */
type KeptRecord = z.infer<typeof keptRecord>

/** The key under which the browser keeps them. */
export const STORAGE_KEY = 'assent-everywhere'

/** What was allowed everywhere, kept in this browser for the conversations to come. */
export interface KeptConfirmations {
  /** To be handed to the next conversation, oldest first. */
  records(): ConfirmationRecord[]
  /**
   * Takes over what a conversation's history says of permissions that hold everywhere: how they were
   * given, used and taken back.
   *
   * @param summaryOf the sentence of the call that a record is about
   */
  keep(
    history: readonly ConfirmationRecord[],
    summaryOf: (record: ConfirmationRecord) => string | undefined,
  ): void
  /** The sentence of the call that a permission was given on. */
  summaryOf(policyId: string): string | undefined
}

/** The confirmations that this browser keeps; ends with its scope. */
export function useKeptConfirmations(): KeptConfirmations {
  const kept = useLocalStorage<readonly KeptRecord[]>(STORAGE_KEY, [], {
    serializer: { read: readKept, write: (records) => JSON.stringify(records) },
    writeDefaults: false,
    shallow: true,
  })

  return {
    records: () => kept.value.map(({ record }) => record),
    keep(history, summaryOf) {
      const known = new Set(kept.value.map(({ record }) => record.id))
      const policyIds = new Set(history.filter(isForEverywhere).map(({ id }) => id))
      const news = history.filter(
        (record) => !known.has(record.id) && policyIds.has(policyIdOf(record)),
      )
      if (news.length === 0) return
      kept.value = [
        ...kept.value,
        ...news.map((record) => ({ record, summary: summaryOf(record) })),
      ]
    },
    summaryOf: (policyId) => kept.value.find(({ record }) => record.id === policyId)?.summary,
  }
}

function isForEverywhere(record: ConfirmationRecord): boolean {
  return (
    isDecision(record) && record.outcome === 'yes_always' && record.scope?.where === 'everywhere'
  )
}

/** The permission that a record gives, takes back or tells of. */
function policyIdOf(record: ConfirmationRecord): string {
  return 'event' in record ? record.policyId : (record.revokes ?? record.id)
}

/** All or nothing: without one of the records, such as a revocation, the others could allow more. */
function readKept(stored: string): readonly KeptRecord[] {
  try {
    return z.array(keptRecord).parse(JSON.parse(stored))
  } catch {
    return []
  }
}
