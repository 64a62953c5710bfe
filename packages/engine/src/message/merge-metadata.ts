type Fields = Record<string, unknown>

/** Names by which metadata from outside could reach a prototype once it is copied elsewhere. */
const NEVER_MERGED = /^(__proto__|constructor|prototype)$/

/**
 * Metadata with what a chunk adds: objects are merged at every depth; everything else, arrays too,
 * is replaced; `undefined` and `null` as a whole say nothing. Neither of the two is changed.
 */
export function mergeMetadata(base: unknown, added: unknown): unknown {
  if (added === undefined || added === null) return base
  if (!isPlainObject(base) || !isPlainObject(added)) return added
  const merged = { ...base }
  // A list of what is left to merge, not recursion: the depth is for the server to choose.
  const open: { target: Fields; source: Fields }[] = [{ target: merged, source: added }]
  for (const { target, source } of open) {
    for (const [name, value] of Object.entries(source)) {
      if (value === undefined || NEVER_MERGED.test(name)) continue
      const current = Object.hasOwn(target, name) ? target[name] : undefined
      if (isPlainObject(current) && isPlainObject(value)) {
        const copy = { ...current }
        target[name] = copy
        open.push({ target: copy, source: value })
      } else {
        target[name] = value
      }
    }
  }
  return merged
}

function isPlainObject(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
