import { setImmediate } from 'node:timers/promises'
import { encodeName } from '@assent/engine/storage'
import { DatabaseError } from '../sqlite/database-error.ts'
import type { AuditStore, AuditSubject } from './audit-store.ts'
import { toRanges } from './erased-seqs.ts'

/** What is noted of an erasure. */
export interface ErasureContext {
  /** Who wants it: a name or an address. Erased with the rest when that is the user. */
  readonly who?: string | undefined
}

/** Entries that are erased as one: others can write in between. */
const CHUNK = 100

/** Erases all bodies of a subject, slice by slice, each with the note of it. */
export async function erase(
  store: AuditStore,
  subject: AuditSubject,
  { who }: ErasureContext,
): Promise<number> {
  const { conversationId, user } = subject
  if (typeof (conversationId ?? user) !== 'string' || (conversationId ?? user) === '') {
    throw new DatabaseError('invalid_argument', 'Name a conversation or a user to erase.')
  }
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
