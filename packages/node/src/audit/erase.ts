import { setImmediate } from 'node:timers/promises'
import { encodeName } from '@assent/engine/storage'
import { assertSubject, type ErasureContext, type ErasureSubject } from '../erasing/subject.ts'
import type { AuditStore } from './audit-store.ts'
import { toRanges } from './erased-seqs.ts'

/** Entries that are erased as one: others can write in between. */
const CHUNK = 100

/** Erases all bodies of a subject, slice by slice, each with the note of it. */
export async function erase(
  store: AuditStore,
  subject: ErasureSubject,
  { who }: ErasureContext,
): Promise<number> {
  const { conversationId, user } = subject
  assertSubject(subject)
  const ofConversation = conversationId === undefined ? undefined : encodeName(conversationId)
  let count = 0
  for (;;) {
    const erased = await store.erase(subject, CHUNK, (seqs) => ({
      kind: 'erasure',
      payload: {
        erased: toRanges(seqs),
        of: user === undefined ? 'conversation' : 'user',
        conversationId: ofConversation,
        who: who === user ? undefined : who,
      },
    }))
    if (erased === 0) return count
    count += erased
    await setImmediate()
  }
}
