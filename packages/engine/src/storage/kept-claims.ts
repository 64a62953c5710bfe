import type { UIMessage } from 'ai'
import { callOfClaim, claimKeyOf, toolCallsOf } from '../message/tool-calls.ts'
import type { Records } from './read-records.ts'

/** Which claims of calls are stored, so that the next one expects what is there, and that they go with their calls. */
export interface KeptClaims {
  /** Takes over what was read. */
  take(records: Records): void
  /** The claim of a call that was read or made last; `undefined` when none was. */
  of(key: string): string | undefined
  /** Takes note of a claim that was made. */
  made(key: string, id: string): void
  /** The keys of those whose calls a message has no more: of all, when there is no such message. */
  left(messageId: string, message: UIMessage | undefined): readonly string[]
  /** They were taken away. */
  forget(messageId: string, keys: readonly string[]): void
}

export function keptClaims(): KeptClaims {
  const kept = new Map<string, Map<string, string | undefined>>()

  function made(key: string, id: string | undefined): void {
    const call = callOfClaim(key)
    if (!call) return
    const ofMessage = kept.get(call.messageId) ?? new Map<string, string | undefined>()
    kept.set(call.messageId, ofMessage.set(key, id))
  }

  return {
    take(records) {
      // One that is no text cannot be expected: nobody claims that call.
      for (const [key, id] of records) made(key, typeof id === 'string' ? id : undefined)
    },
    of: (key) => kept.get(callOfClaim(key)?.messageId ?? '')?.get(key),
    made,
    left(messageId, message) {
      const keys = kept.get(messageId)
      if (!keys) return []
      const living = new Set(message && toolCallsOf(message).map(claimKeyOf))
      return [...keys.keys()].filter((key) => !living.has(key))
    },
    forget(messageId, keys) {
      const ofMessage = kept.get(messageId)
      for (const key of keys) ofMessage?.delete(key)
      if (ofMessage?.size === 0) kept.delete(messageId)
    },
  }
}
