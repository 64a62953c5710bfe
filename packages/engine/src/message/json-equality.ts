/** Whether two JSON values are equal; the order of keys does not matter. Any depth. */
export function isEqualJson(one: unknown, other: unknown): boolean {
  const pairs: [unknown, unknown][] = [[one, other]]
  for (const [left, right] of pairs) {
    if (Object.is(left, right)) continue
    if (!isContainer(left) || !isContainer(right)) return false
    if (Array.isArray(left) !== Array.isArray(right)) return false
    const keys = Object.keys(left)
    if (keys.length !== Object.keys(right).length) return false
    for (const key of keys) {
      if (!Object.hasOwn(right, key)) return false
      pairs.push([Reflect.get(left, key), Reflect.get(right, key)])
    }
  }
  return true
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
