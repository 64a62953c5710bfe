import type { FieldPattern } from '@assent/engine'
import type { StandingPolicy } from '@assent/vue'

const time = new Intl.DateTimeFormat('en', { hour: 'numeric', minute: '2-digit' })
const moment = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
})

/** A tool by its name in words: `write_note` is "Write note". */
export function toolInWords(toolName: string): string {
  const words = toolName.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Which calls of its tool a permission covers: "every call", "when title is “Groceries”". */
export function coversInWords({ scope: { covers = 'tool' } }: StandingPolicy): string {
  if (covers === 'tool') return 'every call'
  if (covers === 'input') return 'exactly this call'
  const fields = Object.entries(covers).map(
    ([pointer, pattern]) => `${fieldName(pointer)} ${patternInWords(pattern)}`,
  )
  return `when ${fields.join(' and ')}`
}

/** Where and for how long it holds: "Everywhere, 3 more times". */
export function boundsInWords({ where, until, usesLeft }: StandingPolicy, now: number): string {
  const parts = [where === 'everywhere' ? 'Everywhere' : 'In this conversation']
  if (until !== undefined) parts.push(`until ${timeInWords(until, now)}`)
  if (usesLeft !== undefined) parts.push(usesLeft === 1 ? 'once more' : `${usesLeft} more times`)
  return parts.join(', ')
}

/** How often it was used: "not used yet", "used twice", "used 5 times". */
export function usesInWords({ uses }: StandingPolicy): string {
  if (uses === 0) return 'not used yet'
  return uses === 1 ? 'used once' : `used ${uses} times`
}

/** A time of this day, or the day with it. */
export function timeInWords(at: number, now: number): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString()
  return (isToday ? time : moment).format(at)
}

function patternInWords(pattern: FieldPattern): string {
  if ('prefix' in pattern) return `begins with “${pattern.prefix}”`
  if ('glob' in pattern) return `fits “${pattern.glob}”`
  if ('oneOf' in pattern) return `is ${pattern.oneOf.map(valueInWords).join(' or ')}`
  const { min, max } = pattern
  if (min === undefined) return `is at most ${max}`
  return max === undefined ? `is at least ${min}` : `is from ${min} to ${max}`
}

function valueInWords(value: string | number | boolean | null): string {
  return typeof value === 'string' ? `“${value}”` : String(value)
}

/** The field that a JSON Pointer leads to: `/address/city` is "address city". */
function fieldName(pointer: string): string {
  const names = pointer.split('/').slice(1)
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~')).join(' ') || 'input'
}
