/**
 * A copy for one callback of the app: what it changes there changes nothing that runs, is shown or is kept.
 * What is no list, plain object or date has more to it than its fields, and is handed on itself.
 */
export function ownCopy<VALUE>(value: VALUE): VALUE
export function ownCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => ownCopy(item))
  if (value instanceof Date) return new Date(value)
  if (!isPlainObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, ownCopy(field)]))
}

/** Makes a value that many callbacks of the app are given one that none of them can change. */
export function freezeDeep<VALUE>(value: VALUE): VALUE {
  // What is frozen is so in all of its depth: nobody else freezes what this is given.
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const field of Object.values(value)) freezeDeep(field)
  return Object.freeze(value)
}

/** Whether a value is an object whose fields are all of it. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
