import type { LedgerKey, LedgerScope } from './approval-ledger.ts'

/** What a call is kept under in a ledger, beside its question. */
export function scopeName({ owner, conversationId, fingerprint }: LedgerKey): string {
  return JSON.stringify([owner, conversationId, fingerprint])
}

/** What a conversation is kept under in a ledger. */
export function conversationName({ owner, conversationId }: LedgerScope): string {
  return JSON.stringify([owner, conversationId])
}
