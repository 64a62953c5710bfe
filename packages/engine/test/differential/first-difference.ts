/**
 * Where two values differ first, in words; `undefined` when they do not. Properties that are
 * `undefined` count as missing.
 */
export function firstDifference(
  ours: unknown,
  theirs: unknown,
  path = 'message',
): string | undefined {
  if (Object.is(ours, theirs)) return undefined
  if (!isObject(ours) || !isObject(theirs) || Array.isArray(ours) !== Array.isArray(theirs)) {
    return `${path} is ${inWords(ours)}, the AI SDK has ${inWords(theirs)}`
  }
  for (const key of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    const found = firstDifference(own(ours, key), own(theirs, key), `${path}.${key}`)
    if (found !== undefined) return found
  }
  return undefined
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function own(value: object, key: string): unknown {
  return Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined
}

function inWords(value: unknown): string {
  return JSON.stringify(value) ?? 'missing'
}
