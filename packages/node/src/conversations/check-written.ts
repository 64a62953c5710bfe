import {
  EngineError,
  isToolCallPart,
  type ApprovalScope,
  type ConfirmationRecord,
  type ToolCallConfirmation,
  type ToolCallPart,
} from '@assent/engine'
import {
  conversationOf,
  everywhereOf,
  fenced,
  isConfirmation,
  type DecidedBy,
} from '@assent/engine/storage'
import type { JSONValue } from 'ai'
import { isDeepStrictEqual } from 'node:util'
import type { Admission } from './admit-decisions.ts'
import {
  decisionsOn,
  grantKey,
  noteAsked,
  policyGrantKey,
  readGrant,
  storedConfirmations,
  type Conversation,
  type Grant,
  type NoteStorage,
} from './decision-notes.ts'

/** What a page writes. */
export interface PageWrite {
  readonly namespace: string
  readonly put: readonly (readonly [string, JSONValue])[]
  readonly remove: readonly string[]
}

/**
 * Whether something is to be looked at in what a page writes: a question, or anything where decisions are. They
 * are only ever added there.
 */
export function isOfNote({ namespace, put, remove }: PageWrite): boolean {
  const keeps = decisionsAt(namespace)
  return put.some(([key, value]) => keeps(key) || isAsking(value)) || remove.some(keeps)
}

/**
 * Checks that all decisions in what a page writes were allowed, and notes whom it asks.
 *
 * @returns who made them, by their ids
 * @throws EngineError `may_not_decide`
 */
export async function checkWritten(
  { storage, admitPolicies }: Pick<Admission, 'admitPolicies'> & { readonly storage: NoteStorage },
  user: string,
  { namespace, put, remove }: PageWrite,
): Promise<ReadonlyMap<string, DecidedBy>> {
  const asked = put.filter(([, value]) => isAsking(value))
  const calls = asked.map(([key, value]) => ({ key, toolCallId: String(Object(value).toolCallId) }))
  await noteAsked(storage, { user, namespace }, calls)

  const keeps = decisionsAt(namespace)
  if (!put.some(([key]) => keeps(key)) && !remove.some(keeps)) return new Map()
  const stored = await storage.read(namespace)
  if (remove.some((key) => keeps(key) && stored.has(key))) throw changesWhatWasDecided()
  const by = new Map<string, DecidedBy>()
  for (const [key, record] of put) {
    if (!keeps(key) || isDeepStrictEqual(stored.get(key), record)) continue
    if (!isConfirmation(record)) throw changesWhatWasDecided()
    const grant = await grantFor(record)
    // Whoever writes there does not know what is stored.
    if (stored.has(key)) throw fenced(1, 0)
    if (grant) by.set(record.id, { who: grant.who, requester: grant.requester })
  }
  return by

  async function grantFor(record: ConfirmationRecord): Promise<Grant | undefined> {
    const conversation = placeOf(namespace, record)
    const look = (key: string) => readGrant(storage, conversation, key)
    if ('event' in record) {
      const { event, policyId, suspension } = record
      if (event !== 'resumed') return undefined
      const grant = await look(policyGrantKey('resumed', policyId, suspension))
      if (!grant) throw notAllowed(record)
      return grant
    }
    if (record.revokes !== undefined) {
      const key = policyGrantKey('revoked', record.revokes)
      const grant = await look(key)
      if (grant) return grant
      // By no command, but where no engine has the conversation open.
      await admitPolicies(user, conversation, { policyId: record.revokes, event: 'revoked' })
      return look(key)
    }
    const grant = await look(grantKey(record, record.outcome))
    const confirmations = await storedConfirmations(storage, conversation)
    if (grant && isSame(grant, record) && !isUsedUp(grant, record, confirmations)) return grant
    // A no runs nothing: it may come from a message that was sent in place of an answer.
    if (record.outcome === 'no') return undefined
    throw notAllowed(record)
  }
}

/** Under which keys of a namespace decisions are. */
function decisionsAt(namespace: string): (key: string) => boolean {
  if (conversationOf(namespace)) return (key) => key.startsWith('confirmation/')
  const isEverywhere = ownerOfEverywhere(namespace) !== false
  return () => isEverywhere
}

/** Whose permissions a namespace keeps that hold everywhere; `false` when it does not. */
function ownerOfEverywhere(namespace: string): string | undefined | false {
  // All of an owner begins alike, conversations and what holds everywhere.
  const prefix = /^(.*)everywhere$/su.exec(namespace)?.[1]
  const owner = prefix === undefined ? undefined : conversationOf(`${prefix}conversation/`)?.owner
  return namespace === everywhereOf(owner) && owner
}

/** Where a decision was made that is written into a namespace. */
function placeOf(namespace: string, { conversationId }: ConfirmationRecord): Conversation {
  const owner = ownerOfEverywhere(namespace)
  const own = conversationOf(namespace)
  return own ?? { id: conversationId, owner: owner === false ? undefined : owner }
}

/** Whether what was made is what was allowed, and no more. */
function isSame(grant: Grant, made: ToolCallConfirmation): boolean {
  const { outcome, fingerprint, scope, withoutRecord = false } = made
  if (grant.fingerprint !== fingerprint) return false
  if (withoutRecord && grant.withoutRecord !== true) return false
  return outcome !== 'yes_always' || isWithin(grant.scope, scope)
}

/** A permission of which nothing was said, or no more than what `made` says. */
function isWithin(said: ApprovalScope | undefined, made: ApprovalScope | undefined): boolean {
  const isUnsaid = said === undefined || Object.keys(said).length === 0
  const { until, ...rest } = made ?? { covers: 'tool' as const }
  // Whoever leads the conversation says when its time is over.
  if (isUnsaid) return Number.isFinite(until) && isDeepStrictEqual(rest, { covers: 'input' })
  return isDeepStrictEqual(
    { ...rest, ...(until !== undefined && { until }) },
    { covers: 'input', ...said },
  )
}

/** Whether somebody decided about the call after this was allowed. */
function isUsedUp(
  { seen = [] }: Grant,
  made: ToolCallConfirmation,
  confirmations: readonly ConfirmationRecord[],
): boolean {
  return decisionsOn(confirmations, made).some((id) => id !== made.id && !seen.includes(id))
}

function isAsking(value: JSONValue): boolean {
  const part: unknown = value
  return isPart(part) && part.state === 'approval-requested'
}

function isPart(value: unknown): value is ToolCallPart {
  const { type } = Object(value)
  return typeof type === 'string' && isToolCallPart(Object(value))
}

function notAllowed({ toolName }: ConfirmationRecord): EngineError {
  const text = `A decision about ${toolName} was not stored: nobody who may has made it.`
  return new EngineError('may_not_decide', text)
}

function changesWhatWasDecided(): EngineError {
  const text = 'Nothing was stored: what was decided is never changed, nor taken away by itself.'
  return new EngineError('may_not_decide', text)
}
