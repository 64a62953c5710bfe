/** A field of an input that a person changed. */
export interface InputChange {
  /** Its name; for more than one level with dots between: `address.city`. */
  readonly field: string
  /** `undefined`: it was added. */
  readonly before: string | undefined
  /** `undefined`: it was removed. */
  readonly after: string | undefined
}

/** What is different between two inputs, field by field, in the order of the later one. */
export function inputChanges(before: unknown, after: unknown, field = ''): InputChange[] {
  if (isFields(before) && isFields(after)) {
    const names = new Set([...Object.keys(after), ...Object.keys(before)])
    return [...names].flatMap((name) =>
      inputChanges(
        valueOf(before, name),
        valueOf(after, name),
        field === '' ? name : `${field}.${name}`,
      ),
    )
  }
  const [former, later] = [toText(before), toText(after)]
  return former === later ? [] : [{ field, before: former, after: later }]
}

function valueOf(fields: object, name: string): unknown {
  return Object.hasOwn(fields, name) ? Reflect.get(fields, name) : undefined
}

function isFields(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function toText(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  try {
    return JSON.stringify(value)
  } catch {
    return String(value)
  }
}
