import {
  besideNotes,
  conversationOf,
  everywhereOf,
  isOfNotes,
  namespaceOf,
  notesBeside,
  ownerPrefix,
} from '@assent/engine/storage'
import type { JSONValue } from 'ai'
import type { ErasureSubject } from './subject.ts'

/** Where the records of a subject are. */
export interface MeantNamespaces {
  /** What the names begin with, among which they are. */
  readonly prefixes: readonly string[]
  isMeant(namespace: string): boolean
}

/** Where the records of a subject are, and the notes on who was asked and what was allowed there. */
export function meantNamespaces({
  conversationId: id,
  owner,
  user,
}: ErasureSubject): MeantNamespaces {
  const withNotes = (names: readonly string[]) => [...names, ...names.map(notesBeside)]
  if (id === undefined) return { prefixes: withNotes([ownerPrefix(user)]), isMeant: () => true }
  const own = namespaceOf(id, owner)
  const isOf = (name: string): boolean =>
    name === own || (owner === undefined && conversationOf(name)?.id === id)
  return {
    prefixes: withNotes(owner === undefined ? [own, 'owner/'] : [own]),
    isMeant: (name) => isOf(isOfNotes(name) ? besideNotes(name) : name),
  }
}

/** Where permissions are that hold everywhere, and may have been given in the conversations of some namespaces. */
export function everywhereNamespaces(
  { owner, user }: ErasureSubject,
  namespaces: readonly string[],
): readonly string[] {
  // Of a user they are among the rest.
  if (user !== undefined) return []
  const owners = namespaces.flatMap((name) => conversationOf(name) ?? []).map((one) => one.owner)
  return [...new Set([owner, ...owners])].map((one) => everywhereOf(one))
}

/** Whether a permission was given in a conversation. */
export function isGivenIn(conversationId: string | undefined, record: JSONValue): boolean {
  if (typeof record !== 'object' || record === null) return false
  return 'conversationId' in record && record['conversationId'] === conversationId
}
