import type { ConfirmationRecord } from '../../src/confirmation.ts'
import type { EngineState } from '../../src/state.ts'
import type { Click } from './clicks.ts'
import type { Call, DecisionModel, ModelMemory, Policy } from '../../src/testing/decision-model.ts'

/** All that was known in one moment of a play. */
export interface Moment {
  readonly state: EngineState
  readonly model: ModelMemory
  /** Of the last decision on each call. */
  readonly fingerprints: ReadonlyMap<string, string>
  /** The last decision on each call. */
  readonly clicks: ReadonlyMap<string, Click>
}

/** Before anything was. */
export const NOTHING: Omit<Moment, 'state'> = {
  model: { calls: new Map<string, Call>(), policies: new Map<string, Policy>() },
  fingerprints: new Map(),
  clicks: new Map(),
}

/**
 * Goes back to a moment. What holds everywhere is stored before what else was written with it, so
 * that a crash may leave policies whose calls know nothing of them.
 *
 * @param records all that are stored, in their order
 */
export function goBack(
  model: DecisionModel,
  { model: memory }: Pick<Moment, 'model'>,
  records: readonly ConfirmationRecord[],
): void {
  const lost = structuredClone(model.policies)
  model.recall(memory)
  const known = new Map(model.policies)
  model.policies.clear()
  for (const record of records) {
    const policy = known.get(record.id) ?? lost.get(record.id)
    if (policy) model.policies.set(record.id, policy)
  }
  for (const [id, policy] of model.policies) {
    const about = records.filter((record) => 'policyId' in record && record.policyId === id)
    const events = about.map((record) => ('event' in record ? record.event : 'used'))
    const isEnded = policy.isVoid || policy.isRevoked
    policy.used = events.filter((event) => event === 'used').length
    policy.isVoid = events.some((event) => event === 'call-failed' || event === 'schema-changed')
    policy.suspensions.clear()
    for (const record of about) {
      if (!('event' in record)) continue
      if (record.event === 'suspended') policy.suspensions.add(record.id)
      if (record.event === 'resumed') policy.suspensions.delete(record.suspension ?? '')
    }
    policy.isRevoked = records.some((record) => 'revokes' in record && record.revokes === id)
    if (!known.has(id)) policy.isFailed = false
    if (isEnded || !(policy.isVoid || policy.isRevoked)) continue
    for (const call of model.calls.values()) call.isLapsed ||= call.policy === policy
  }
}
