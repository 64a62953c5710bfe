import {
  assentMetadata,
  isDecision,
  isToolCallPart,
  toolCallStatus,
  toolNameOf,
  type ConfirmationRecord,
  type PolicyEvent,
  type ToolCallConfirmation,
  type ToolCallPart,
  type ToolCallRef,
} from '@assent/engine'
import type { UIMessage } from 'ai'
import type { TrailEntry, AuditOutcome, AuditSources } from './audit-types.ts'

/** A call of the messages, with what names it. */
interface PlacedCall {
  readonly ref: ToolCallRef
  readonly part: ToolCallPart
}

/**
 * The record of all decisions, newest first: those of persons, of standing permissions and of rules,
 * what was revoked, and what became of each call. Calls that ran without any decision are not in it.
 * Pure; reads each record and message once.
 */
export function readAuditEntries({
  confirmations,
  messages = [],
  conversationId,
}: AuditSources): TrailEntry[] {
  const placed = placeCalls(messages)
  const told = new Set<string>()
  const given = new Map<string, number>()
  const revoked = new Map<string, number>()
  const refused = new Set<string>()
  for (const record of confirmations) {
    if ('event' in record) {
      if (record.event === 'refused') refused.add(record.policyId)
      continue
    }
    if (record.revokes === undefined) given.set(record.id, record.at)
    else if (!revoked.has(record.revokes)) revoked.set(record.revokes, record.at)
  }

  const entries: TrailEntry[] = []
  const known = new Set<string>()
  for (const record of confirmations) {
    // A record that comes twice, from here and from everywhere, counts once.
    if (known.has(record.id)) continue
    known.add(record.id)
    // It is told with the decision that it is about.
    if ('event' in record && record.event === 'refused') continue
    const placedCall = placed.get(keyOf(record))
    const entry = toEntry(record, placedCall?.part, { given, revoked, refused })
    if (!isAboutPolicy(entry.outcome)) told.add(keyOf(record))
    entries.push(entry)
  }
  for (const [key, { ref, part }] of placed) {
    if (told.has(key)) continue
    const entry = fromPart(ref, part, conversationId)
    if (entry) entries.push(entry)
  }
  return entries
    .map((entry, index) => ({ entry, index }))
    .toSorted((a, b) => (b.entry.at ?? 0) - (a.entry.at ?? 0) || b.index - a.index)
    .map(({ entry }) => entry)
}

function placeCalls(messages: readonly UIMessage[]): Map<string, PlacedCall> {
  const placed = new Map<string, PlacedCall>()
  for (const { id: messageId, parts } of messages) {
    let step = 0
    for (const part of parts) {
      if (part.type === 'step-start') step++
      if (!isToolCallPart(part)) continue
      const ref = { messageId, step, toolCallId: part.toolCallId }
      placed.set(keyOf(ref), { ref, part })
    }
  }
  return placed
}

function keyOf({ messageId, step, toolCallId }: ToolCallRef): string {
  return JSON.stringify([messageId, step, toolCallId])
}

/** What records say of others, by the ids of those. */
interface KnownOfRecords {
  readonly given: ReadonlyMap<string, number>
  readonly revoked: ReadonlyMap<string, number>
  readonly refused: ReadonlySet<string>
}

function toEntry(
  record: ConfirmationRecord,
  part: ToolCallPart | undefined,
  { given, revoked, refused }: KnownOfRecords,
): TrailEntry {
  const isOfPolicy = 'event' in record || record.revokes !== undefined
  const policyId = 'event' in record ? record.policyId : record.revokes
  const confirmation = 'event' in record ? undefined : record
  const { originalInput } = callFacts(part)
  return {
    ...callFacts(part),
    id: record.id,
    at: record.at,
    outcome: outcomeOf(record),
    by: 'event' in record && !isByPerson(record) ? 'policy' : 'person',
    conversationId: record.conversationId,
    call: { messageId: record.messageId, step: record.step, toolCallId: record.toolCallId },
    toolName: record.toolName,
    reason: confirmation?.reason,
    scope:
      confirmation?.outcome === 'yes_always' && !isOfPolicy
        ? (confirmation.scope ?? {})
        : undefined,
    policyId,
    policyAt: policyId === undefined ? undefined : given.get(policyId),
    revokedAt: revoked.get(record.id),
    ...(refused.has(record.id) && { isRefused: true }),
    originalInput: isOfPolicy ? undefined : originalInput,
  }
}

function outcomeOf(record: ToolCallConfirmation | PolicyEvent): AuditOutcome {
  if ('event' in record) {
    if (record.event === 'used') return 'approved'
    return isByPerson(record) ? record.event : 'voided'
  }
  if (!isDecision(record)) return 'revoked'
  if (record.outcome === 'no') return 'denied'
  return record.outcome === 'yes' ? 'approved' : 'always'
}

type ByPerson = PolicyEvent & { readonly event: 'suspended' | 'resumed' }

function isByPerson(record: PolicyEvent): record is ByPerson {
  return record.event === 'suspended' || record.event === 'resumed'
}

const ABOUT_POLICY: ReadonlySet<AuditOutcome> = new Set([
  'revoked',
  'suspended',
  'resumed',
  'voided',
])

/** Whether it was a standing permission that something was decided about, and no call. */
export function isAboutPolicy(outcome: AuditOutcome): boolean {
  return ABOUT_POLICY.has(outcome)
}

/** A decision that only the call tells of: that of a rule, an answer, or one of which no record came. */
function fromPart(
  call: ToolCallRef,
  part: ToolCallPart,
  conversationId: string | undefined,
): TrailEntry | undefined {
  const { decidedBy, decidedAt, submitted, ended } = assentMetadata(part)
  const approval = 'approval' in part ? part.approval : undefined
  // What waited when its turn was ended has an answer, too, but nobody gave it.
  const wasEnded = ended !== undefined && decidedBy === undefined
  if (!submitted && (approval?.approved === undefined || wasEnded)) return undefined
  const facts = callFacts(part)
  return {
    ...facts,
    id: keyOf(call),
    at: decidedAt ?? facts.endedAt,
    outcome: submitted ? 'answered' : approval?.approved ? 'approved' : 'denied',
    by: decidedBy ?? (approval?.isAutomatic ? 'rule' : 'person'),
    conversationId,
    call,
    toolName: toolNameOf(part),
    reason: approval?.reason || undefined,
    scope: undefined,
    policyId: undefined,
    policyAt: undefined,
    revokedAt: undefined,
  }
}

function callFacts(
  part: ToolCallPart | undefined,
): Pick<
  TrailEntry,
  'summary' | 'input' | 'originalInput' | 'status' | 'error' | 'startedAt' | 'endedAt'
> {
  const { summary, originalInput, startedAt, endedAt } = part ? assentMetadata(part) : {}
  return {
    summary,
    input: part?.input,
    originalInput,
    status: part && toolCallStatus(part),
    error: part?.state === 'output-error' ? part.errorText : undefined,
    startedAt,
    endedAt,
  }
}
