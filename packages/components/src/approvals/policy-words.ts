import type { StandingPolicy } from '@assent/vue'
import { policyWords } from '../locale/en-records.ts'
import { formatMoment, formatTime } from '../locale/format.ts'
import type { AssentLocale } from '../locale/locale.ts'

/** Which calls of its tool a permission covers: "every call", "when title is “Groceries”". */
export function coversInWords(
  { scope: { covers = 'tool' } }: Pick<StandingPolicy, 'scope'>,
  locale: AssentLocale,
): string {
  const policies = policyWords(locale)
  if (covers === 'tool') return policies.everyCall
  if (covers === 'input') return policies.thisCall
  return policies.when(
    Object.entries(covers).map(([pointer, pattern]) =>
      policies.field(fieldName(pointer) || policies.wholeInput, pattern),
    ),
  )
}

/** Where, for how long and how often more it holds, and how often it was used. */
export function boundsInWords(
  { where, until, usesLeft, uses, isSuspended }: StandingPolicy,
  locale: AssentLocale,
  now: number,
): string[] {
  const policies = policyWords(locale)
  const parts = isSuspended ? [policies.paused] : []
  parts.push(where === 'everywhere' ? policies.everywhere : policies.here)
  if (until !== undefined) parts.push(policies.until(shortMoment(until, locale, now)))
  if (usesLeft !== undefined) parts.push(policies.usesLeft(usesLeft))
  return [...parts, policies.uses(uses)]
}

/** A time of the day that it is, else the day with it. */
function shortMoment(at: number, locale: AssentLocale, now: number): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString()
  return isToday ? formatTime(locale, at) : formatMoment(locale, at)
}

/** The field that a JSON Pointer (RFC 6901) leads to: `/address/city` is "address city". */
function fieldName(pointer: string): string {
  const names = pointer.split('/').slice(1)
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~')).join(' ')
}
