import {
  type ApprovalScope,
  type ConfirmationRecord,
  type ToolCallConfirmation,
} from '../../confirmation.ts'
import { coversCall, readScope, type CoveredCall } from './scope.ts'

/**
 * Where a policy stands. When several hold, the first of these counts.
 *
 * - `revoked` a person took it back
 * - `void` the call that it was given on failed, its server did not take the decision, or the tool takes another
 *   input now
 * - `expired` its time is over, or was seen to be
 * - `suspended` everything was stopped, and nobody has let it go on since
 * - `used-up` it has covered as many calls as it may
 * - `standing` it covers calls
 */
export type ToolApprovalPolicyStatus =
  | 'standing'
  | 'revoked'
  | 'expired'
  | 'suspended'
  | 'used-up'
  | 'void'

/** A standing approval of a tool's calls, made by one `yes_always`. */
export interface ToolApprovalPolicy {
  /** That of the confirmation that made it. */
  readonly id: string
  readonly toolName: string
  /** As given; what it leaves out has the defaults of {@link ApprovalScope}. */
  readonly scope: ApprovalScope
  readonly confirmation: ToolCallConfirmation
  /** How many calls it has approved. */
  readonly uses: number
  /** The ids of the records that suspend it and that nobody has ended. */
  readonly suspensions: readonly string[]
  readonly status: ToolApprovalPolicyStatus
}

/** Options of {@link deriveApprovalPolicies}. */
export interface DeriveApprovalPoliciesOptions {
  /** Milliseconds since the epoch. */
  readonly now: number
  /**
   * The schema fingerprint of each tool, `undefined` where it cannot be told. With it a policy whose
   * tool had another one is void, also when the tool is not among these: it covers nothing with them.
   * Default: schemas are not compared.
   */
  readonly tools?: ReadonlyMap<string, string | undefined> | undefined
  /**
   * Leaves out the policies of other conversations that are not for `everywhere`. Default: the
   * policies of all conversations.
   */
  readonly conversationId?: string | undefined
}

/**
 * The policies that a history of confirmations makes, in the order of the confirmations that made
 * them. Pure; the order of revocations and events does not matter, and a record that comes twice
 * counts once. A `yes_always` whose scope is not valid makes none. Never throws.
 */
export function deriveApprovalPolicies(
  records: readonly ConfirmationRecord[],
  { now, tools, conversationId }: DeriveApprovalPoliciesOptions,
): ToolApprovalPolicy[] {
  const made = new Map<string, ToolCallConfirmation>()
  const revoked = new Set<string>()
  const voided = new Set<string>()
  const expired = new Set<string>()
  const used = new Map<string, Set<string>>()
  const suspended = new Map<string, Set<string>>()
  const resumed = new Set<string>()
  for (const record of records) {
    if ('event' in record) {
      const { event, policyId, id, suspension } = record
      if (event === 'expired') expired.add(policyId)
      else if (event === 'used') addTo(used, policyId, id)
      else if (event === 'suspended') addTo(suspended, policyId, id)
      else if (event !== 'resumed') voided.add(policyId)
      else if (suspension !== undefined) resumed.add(suspension)
    } else if (record.revokes !== undefined) revoked.add(record.revokes)
    else if (record.outcome === 'yes_always' && !made.has(record.id)) made.set(record.id, record)
  }
  const policies: ToolApprovalPolicy[] = []
  for (const [id, confirmation] of made) {
    const { toolName, schema } = confirmation
    const scope = scopeOf(confirmation)
    const isElsewhere =
      conversationId !== undefined && confirmation.conversationId !== conversationId
    if (!scope || (isElsewhere && scope.where !== 'everywhere')) continue
    const uses = used.get(id)?.size ?? 0
    const suspensions = [...(suspended.get(id) ?? [])].filter((one) => !resumed.has(one)).toSorted()
    let status: ToolApprovalPolicyStatus = 'standing'
    if (revoked.has(id)) status = 'revoked'
    else if (voided.has(id) || (tools && tools.get(toolName) !== schema)) status = 'void'
    else if (expired.has(id)) status = 'expired'
    // Also for a clock that says no time.
    else if (scope.until !== undefined && !(now < scope.until)) status = 'expired'
    else if (suspensions.length > 0) status = 'suspended'
    else if (scope.uses !== undefined && uses >= scope.uses) status = 'used-up'
    policies.push({ id, toolName, scope, confirmation, uses, suspensions, status })
  }
  return policies
}

function addTo(sets: Map<string, Set<string>>, key: string, item: string): void {
  sets.set(key, (sets.get(key) ?? new Set()).add(item))
}

/** What was read of scopes; records are never changed. */
const scopes = new WeakMap<ToolCallConfirmation, ApprovalScope | undefined>()

/** None when what is stored is no scope. */
function scopeOf(confirmation: ToolCallConfirmation): ApprovalScope | undefined {
  try {
    if (!scopes.has(confirmation)) scopes.set(confirmation, readScope(confirmation.scope))
  } catch {
    scopes.set(confirmation, undefined)
  }
  return scopes.get(confirmation)
}

/** The first standing policy that covers a call. */
export function findPolicy(
  policies: readonly ToolApprovalPolicy[],
  call: CoveredCall,
): ToolApprovalPolicy | undefined {
  return policies.find(({ status, toolName, scope, confirmation: { fingerprint } }) => {
    return status === 'standing' && coversCall({ toolName, fingerprint, scope }, call)
  })
}
