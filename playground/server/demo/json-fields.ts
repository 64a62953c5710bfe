import type { JSONValue } from '@ai-sdk/provider'

/** The text at a key of a JSON object; `undefined` when it is not there or not a text. */
export function textAt(value: unknown, key: string): string | undefined {
  const found = fieldOf(value, key)
  return typeof found === 'string' ? found : undefined
}

/** The number at a key of a JSON object. */
export function numberAt(value: unknown, key: string): number | undefined {
  const found = fieldOf(value, key)
  return typeof found === 'number' ? found : undefined
}

/** The list at a key of a JSON object. */
export function listAt(value: unknown, key: string): readonly unknown[] | undefined {
  const found = fieldOf(value, key)
  return Array.isArray(found) ? found : undefined
}

/** Whether a key of a JSON object holds `true`. */
export function isTrueAt(value: unknown, key: string): boolean {
  return fieldOf(value, key) === true
}

/** A JSON value as a person reads it: a text as it stands, anything else as JSON. */
export function readable(value: JSONValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function fieldOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined
}
