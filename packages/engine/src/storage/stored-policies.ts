import { isDecision, type ConfirmationRecord, type ToolCallConfirmation } from '../confirmation.ts'
import { KEYS, toJson } from './conversation-records.ts'
import { nextPlace, readConfirmations } from './read-records.ts'
import type { ConversationStorage, StorageChanges } from './storage.ts'

/** When and under which id a record is made. */
export interface NewRecord {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** A permission that is taken back, as it is to be stored. */
export interface StoredRevocation {
  readonly record: ToolCallConfirmation
  readonly changes: StorageChanges
}

const CONFIRMATIONS = { prefix: 'confirmation/' } as const

/** The decisions of a stored conversation, and what became of its standing permissions, oldest first. */
export async function readStoredConfirmations(
  storage: Pick<ConversationStorage, 'read'>,
  namespace: string,
): Promise<readonly ConfirmationRecord[]> {
  return readConfirmations(await storage.read(namespace, CONFIRMATIONS))
}

/**
 * What to write into a stored conversation to take a standing permission of it back; `undefined` when there is none
 * of this id, or it was taken back. Only who holds the conversation writes it: an engine that has it open would not learn of it.
 */
export async function storedRevocation(
  storage: Pick<ConversationStorage, 'read'>,
  namespace: string,
  policyId: string,
  made: NewRecord,
): Promise<StoredRevocation | undefined> {
  const stored = await storage.read(namespace, CONFIRMATIONS)
  const records = readConfirmations(stored)
  const given = records.find(({ id }) => id === policyId)
  const isRevoked = records.some((record) => 'revokes' in record && record.revokes === policyId)
  if (!given || !isDecision(given) || given.outcome !== 'yes_always' || isRevoked) return undefined
  const key = KEYS.confirmation(nextPlace(stored, 'confirmation'))
  const record = revocationOf(given, made)
  return { record, changes: { put: new Map([[key, toJson(record)]]) } }
}

/** The record that takes a permission back. */
export function revocationOf(given: ToolCallConfirmation, made: NewRecord): ToolCallConfirmation {
  const { conversationId, messageId, step, toolCallId, toolName, fingerprint } = given
  const call = { conversationId, messageId, step, toolCallId, toolName, fingerprint }
  return { ...call, ...made, outcome: 'no', revokes: given.id }
}
