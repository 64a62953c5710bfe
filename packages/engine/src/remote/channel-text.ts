/** Stands for `undefined`, which JSON has not; texts that begin like it have its first sign twice. */
const MARK = '\u0001'
const UNDEFINED = `${MARK}undefined`

/** What tabs say to each other, as a text: all that JSON has, and `undefined`. */
export function toChannelText(message: unknown): string {
  return JSON.stringify(message, (_, value: unknown) => {
    if (value === undefined) return UNDEFINED
    return typeof value === 'string' && value.startsWith(MARK) ? MARK + value : value
  })
}

/** What such a text says. Throws for any other text. */
export function fromChannelText(text: string): unknown {
  return revive(JSON.parse(text))
}

// A reviver of JSON.parse takes away what it gives back as undefined.
function revive(value: unknown): unknown {
  if (value === UNDEFINED) return undefined
  if (typeof value === 'string') return value.startsWith(MARK) ? value.slice(MARK.length) : value
  if (Array.isArray(value)) return value.map(revive)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, revive(entry)]))
}
