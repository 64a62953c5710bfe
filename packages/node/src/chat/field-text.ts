import type { z } from 'zod'

/**
 * Says in one sentence which field is wrong, and what it must be.
 *
 * @param place where the value is in the body, such as `tools`
 */
export function fieldText(place: string, issue: z.core.$ZodIssue | undefined): string {
  if (!issue) return `${place} has a value that is not known.`
  const path = issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
  return `${place}${path.join('')} ${expectation(issue)}.`
}

function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES.get(issue.expected) ?? issue.expected}`
    case 'invalid_value':
      return `must be ${oneOf(issue.values.map((value) => JSON.stringify(String(value))))}`
    case 'too_small':
      return `must ${boundOf(issue.origin, 'at least', issue.minimum)}`
    case 'too_big':
      return `must ${boundOf(issue.origin, 'at most', issue.maximum)}`
    case 'unrecognized_keys':
      return `must not have ${oneOf(issue.keys.map((key) => JSON.stringify(key)))}`
    case 'custom':
    case 'invalid_format':
      // The schema's own words.
      return issue.message.startsWith('must ') ? issue.message : 'has a value that is not known'
    default:
      return 'has a value that is not known'
  }
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['string', 'a string'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'an object'],
  ['record', 'an object'],
  ['tuple', 'a list'],
])

function oneOf(values: readonly string[]): string {
  const rest = values.slice(0, -1)
  return rest.length > 0 ? `${rest.join(', ')} or ${values.at(-1)}` : (values[0] ?? '')
}

function boundOf(origin: string, most: 'at least' | 'at most', bound: number | bigint): string {
  if (origin === 'string')
    return `have ${most} ${bound} ${bound === 1 ? 'character' : 'characters'}`
  if (origin === 'array') return `have ${most} ${bound} ${bound === 1 ? 'item' : 'items'}`
  return `be ${most} ${bound}`
}
