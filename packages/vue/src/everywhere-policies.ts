import { assentMetadata, type ConfirmationRecord } from '@assent/engine'
import type { UIMessage } from 'ai'
import { computed, shallowRef, watch, type ComputedRef } from 'vue'
import { findCall } from './call-places.ts'
import { readStandingPolicies, type StandingPolicy } from './standing-policies.ts'
import { useClock } from './use-clock.ts'

/** Where the records and messages come from. */
export interface EverywhereSources {
  readonly now: () => number
  /** The conversation that is active. */
  readonly conversationId: () => string
  /** The message of a conversation, open or stored, if it is there. */
  readMessage(conversationId: string, messageId: string): Promise<UIMessage | undefined>
}

/** The permissions that stand in every conversation. */
export interface EverywherePolicies {
  readonly policies: ComputedRef<readonly StandingPolicy[]>
  /** Takes records over; those that are known, or about other permissions, are of no account. */
  add(records: readonly ConfirmationRecord[]): void
  clear(): void
}

/** Derives what stands everywhere from all records that come along. Ends with its scope. */
export function useEverywherePolicies(
  { now, conversationId, readMessage }: EverywhereSources,
  onServer: boolean,
): EverywherePolicies {
  const records = shallowRef<ReadonlyMap<string, ConfirmationRecord>>(new Map())
  /** What the calls of other conversations do, by policy; `undefined` as long as it is not known. */
  const summaries = shallowRef<ReadonlyMap<string, string | undefined>>(new Map())
  const clock = useClock(now)

  const policies = computed(() =>
    readStandingPolicies({
      confirmations: [...records.value.values()],
      conversationId: conversationId(),
      now: clock.read(),
      summaryOf: () => undefined,
    })
      .filter(({ where }) => where === 'everywhere')
      .map((policy) => {
        const summary = policy.origin.summary ?? summaries.value.get(policy.id)
        return { ...policy, origin: { ...policy.origin, summary } }
      }),
  )

  async function learn({ id, origin }: StandingPolicy): Promise<void> {
    summaries.value = new Map([...summaries.value, [id, undefined]])
    const message = await readMessage(origin.conversationId, origin.messageId)
    const part = message && findCall(message, origin)
    const summary = part && assentMetadata(part).summary
    if (summary) summaries.value = new Map([...summaries.value, [id, summary]])
  }

  if (!onServer) {
    watch(policies, (now_) => {
      for (const policy of now_) if (!summaries.value.has(policy.id)) void learn(policy)
    })
    clock.wakeAt(() => Math.min(...policies.value.map(({ until = Infinity }) => until)))
  }

  return {
    policies,
    add(more) {
      const news = more.filter((record) => !records.value.has(record.id))
      if (news.length === 0) return
      records.value = new Map([...records.value, ...news.map((one) => [one.id, one] as const)])
    },
    clear() {
      records.value = new Map()
      summaries.value = new Map()
    },
  }
}
