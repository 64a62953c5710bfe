/** JSON in one spelling: the same for equal values, whatever the order of their keys. */
export function canonicalJson(value: unknown): string {
  const sorted: unknown = JSON.parse(JSON.stringify(value) ?? 'null', (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? // As pairs: as an object it would put keys that are numbers first, whatever their order.
        { entries: Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)) }
      : inner,
  )
  return JSON.stringify(sorted)
}
