import type { UIMessage } from 'ai'
import { callOfClaim, claimKeyOf, toolCallsOf } from '../message/tool-calls.ts'
import type { Records } from './read-records.ts'

/** Which claims of calls are stored, so that they go with their calls. */
export interface KeptClaims {
  /** Takes over what was read. */
  take(records: Records): void
  /** Takes note of a claim that was made. */
  made(key: string): void
  /** The keys of those whose calls a message has no more: of all, when there is no such message. */
  left(messageId: string, message: UIMessage | undefined): readonly string[]
  /** They were taken away. */
  forget(messageId: string, keys: readonly string[]): void
}

export function keptClaims(): KeptClaims {
  const kept = new Map<string, Set<string>>()

  function made(key: string): void {
    const call = callOfClaim(key)
    if (!call) return
    const ofMessage = kept.get(call.messageId) ?? new Set()
    kept.set(call.messageId, ofMessage.add(key))
  }

  return {
    take(records) {
      for (const key of records.keys()) made(key)
    },
    made,
    left(messageId, message) {
      const keys = kept.get(messageId)
      if (!keys) return []
      const living = new Set(message && toolCallsOf(message).map(claimKeyOf))
      return [...keys].filter((key) => !living.has(key))
    },
    forget(messageId, keys) {
      const ofMessage = kept.get(messageId)
      for (const key of keys) ofMessage?.delete(key)
      if (ofMessage?.size === 0) kept.delete(messageId)
    },
  }
}
