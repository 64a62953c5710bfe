import type { ApprovalScope, ConfirmationRecord, ToolCallRef } from '@assent/engine'
import {
  conversationOf,
  everywhereOf,
  isConfirmation,
  namespaceOf,
  notesBeside,
  type ConversationStorage,
} from '@assent/engine/storage'
import type { JSONValue } from 'ai'
import { z } from 'zod'

/** Where records and notes are. */
export type NoteStorage = Pick<ConversationStorage, 'read' | 'write'>

/** Which conversation, and whose. */
export interface Conversation {
  readonly id: string
  readonly owner?: string | undefined
}

/** A decision that was allowed: by whom it was made, and what exactly. */
export interface Grant {
  readonly who: string
  readonly requester: string
  /** Of what will run: a decision is stored with the input that it edited. */
  readonly fingerprint?: string | undefined
  /** Of a `yes_always`, as it was said. */
  readonly scope?: ApprovalScope | undefined
  readonly withoutRecord?: boolean | undefined
  /** The decisions on the call that were there: one that came later has used this one up. */
  readonly seen?: readonly string[] | undefined
}

const grantNote = z.object({
  who: z.string(),
  requester: z.string(),
  fingerprint: z.string().optional(),
  scope: z.custom<ApprovalScope>((value) => typeof value === 'object').optional(),
  withoutRecord: z.boolean().optional(),
  seen: z.array(z.string()).optional(),
})

/** The key of what was allowed about a call. */
export function grantKey({ toolCallId, messageId, step }: ToolCallRef, outcome: string): string {
  return `granted/${JSON.stringify([messageId, step, toolCallId, outcome])}`
}

/** The key of what was allowed about a standing permission. */
export function policyGrantKey(
  event: 'revoked' | 'resumed',
  policyId: string,
  suspension = '',
): string {
  return `granted/${JSON.stringify([event, policyId, suspension])}`
}

/** What was allowed in a conversation under a key, if anything was. */
export async function readGrant(
  storage: NoteStorage,
  { id, owner }: Conversation,
  key: string,
): Promise<Grant | undefined> {
  const notes = await storage.read(notesBeside(namespaceOf(id, owner)), { prefix: key })
  return grantNote.safeParse(notes.get(key)).data
}

/** Notes what is allowed in a conversation; it is on disk when this resolves. */
export async function writeGrants(
  storage: NoteStorage,
  { id, owner }: Conversation,
  grants: ReadonlyMap<string, Grant>,
): Promise<void> {
  if (grants.size === 0) return
  const put = new Map([...grants].map(([key, grant]) => [key, toJson(grant)]))
  const own = notesBeside(namespaceOf(id, owner))
  await storage.write(own, { put }, { durability: 'strict' })
}

/** Whom a page asked with a call; without a note whose conversation it is. */
export async function requesterOf(
  storage: NoteStorage,
  namespace: string,
  asked: { readonly key: string; readonly toolCallId: string } | undefined,
): Promise<string> {
  const key = asked && askedKey(asked)
  const notes =
    key === undefined ? undefined : await storage.read(notesBeside(namespace), { prefix: key })
  const noted = key === undefined ? undefined : notes?.get(key)
  return z.string().safeParse(noted).data ?? conversationOf(namespace)?.owner ?? ''
}

/** Notes whom a page asks with the calls under some keys: the first stands. */
export async function noteAsked(
  storage: NoteStorage,
  { user, namespace }: { readonly user: string; readonly namespace: string },
  calls: readonly { readonly key: string; readonly toolCallId: string }[],
): Promise<void> {
  if (calls.length === 0) return
  const own = notesBeside(namespace)
  const notes = await storage.read(own, { prefix: 'asked/' })
  const first = calls.map(askedKey).filter((key) => !notes.has(key))
  if (first.length > 0) {
    await storage.write(own, { put: new Map(first.map((key) => [key, user])) })
  }
}

function askedKey({
  key,
  toolCallId,
}: {
  readonly key: string
  readonly toolCallId: string
}): string {
  return `asked/${JSON.stringify([key, toolCallId])}`
}

/** What was decided in a conversation, and everywhere, as it is stored. */
export async function storedConfirmations(
  storage: NoteStorage,
  { id, owner }: Conversation,
): Promise<readonly ConfirmationRecord[]> {
  const own = await storage.read(namespaceOf(id, owner), { prefix: 'confirmation/' })
  const everywhere = await storage.read(everywhereOf(owner))
  const records = new Map<string, ConfirmationRecord>()
  for (const record of [...own.values(), ...everywhere.values()]) {
    if (isConfirmation(record)) records.set(record.id, record)
  }
  return [...records.values()]
}

/** Decisions on one call, and what takes such a decision back. */
export function decisionsOn(
  records: readonly ConfirmationRecord[],
  call: ToolCallRef,
): readonly string[] {
  return records.flatMap((record) => {
    const isOfCall =
      'outcome' in record &&
      record.toolCallId === call.toolCallId &&
      record.messageId === call.messageId &&
      record.step === call.step
    return isOfCall ? [record.id] : []
  })
}

function toJson(grant: Grant): JSONValue {
  return JSON.parse(JSON.stringify(grant))
}
