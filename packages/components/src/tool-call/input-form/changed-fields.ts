import { isFields, type FieldPath } from './field-values.ts'

/** One place of an input that is not what it was. */
export interface FieldChange {
  readonly path: FieldPath
  readonly kind: 'changed' | 'added' | 'removed'
  readonly before?: unknown
  readonly after?: unknown
}

/** What differs between two inputs, by the innermost places that do; items of lists by their place. */
export function changedFields(
  before: unknown,
  after: unknown,
  path: FieldPath = [],
): FieldChange[] {
  if (Object.is(before, after)) return []
  if (isFields(before) && isFields(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...names].flatMap((name) =>
      changeAt([...path, name], ownOf(before, name), ownOf(after, name)),
    )
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const places = Array.from({ length: Math.max(before.length, after.length) }, (_, i) => i)
    return places.flatMap((place) => changeAt([...path, place], before[place], after[place]))
  }
  return [{ path, kind: 'changed', before, after }]
}

function changeAt(path: FieldPath, before: unknown, after: unknown): FieldChange[] {
  if (before === undefined && after === undefined) return []
  if (before === undefined) return [{ path, kind: 'added', after }]
  if (after === undefined) return [{ path, kind: 'removed', before }]
  return changedFields(before, after, path)
}

function ownOf(fields: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}
