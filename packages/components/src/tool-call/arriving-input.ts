/** One field of an input that still arrives, as much of it as can be seen. */
export interface ArrivingField {
  /** Where it stands: `edits.2.replace`. */
  key: string
  text: string
  /** The one that grows. */
  isGrowing: boolean
}

const MOST_FIELDS = 8
/** What fits into the few lines that are shown. */
const SHOWN_LENGTH = 600
const MAX_DEPTH = 8

/**
 * The last fields of an input that still arrives. What it costs does not grow with the input: of long
 * texts only the end is read, of lists and objects only the last value.
 */
export function arrivingFields(input: unknown): ArrivingField[] {
  if (!isObject(input)) return input === undefined ? [] : [leaf('', input)]
  const names = Object.keys(input)
  return names.slice(-MOST_FIELDS).map((name, place, shown) => {
    const field = leaf(name, Reflect.get(input, name))
    return { ...field, isGrowing: place === shown.length - 1 }
  })
}

/** The innermost last value: that is where something grows. */
function leaf(key: string, value: unknown): ArrivingField {
  let at = key
  let inner = value
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    if (Array.isArray(inner) && inner.length > 0) {
      at = joined(at, inner.length - 1)
      inner = inner.at(-1)
    } else if (isObject(inner)) {
      const name = Object.keys(inner).at(-1)
      if (name === undefined) break
      at = joined(at, name)
      inner = Reflect.get(inner, name)
    } else break
  }
  return { key: at, text: textOf(inner), isGrowing: true }
}

function joined(key: string, next: string | number): string {
  return key === '' ? String(next) : `${key}.${next}`
}

function textOf(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? '[]' : '{}'
  const text = String(value)
  if (text.length <= SHOWN_LENGTH) return text
  const end = text.slice(-SHOWN_LENGTH)
  // Not in the middle of a character.
  return `…${/^[\udc00-\udfff]/.test(end) ? end.slice(1) : end}`
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
