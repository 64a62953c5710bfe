import type { JSONValue } from 'ai'

/** Characters that are printed of one text; a terminal shows no more at once. */
const MAX_LENGTH = 4_000
const MAX_ADDRESS_LENGTH = 200

/** The same value with the content of files left out: nobody reads megabytes of base64. */
export function withoutContent(value: JSONValue): JSONValue {
  if (typeof value === 'string') return withoutData(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one: JSONValue) => withoutContent(one))
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      one === undefined ? null : withoutContent(one),
    ]),
  )
}

/** The beginning of a text, and how much of it is left out. */
export function shortText(text: string): string {
  if (text.length <= MAX_LENGTH) return text
  const rest = (text.length - MAX_LENGTH).toLocaleString('en')
  return `${text.slice(0, MAX_LENGTH).toWellFormed()} … (${rest} more characters; --json has them)`
}

function withoutData(text: string): string {
  const [head] = /^data:[^,]{0,200},/.exec(text) ?? []
  if (head === undefined || text.length <= MAX_ADDRESS_LENGTH) return text
  return `${head}… (${text.length.toLocaleString('en')} characters)`
}
