import type { FieldSpec } from './field-spec.ts'

/** Names of fields and places in lists, from the outside in. */
export type FieldPath = readonly (string | number)[]

/** Values by name; what a form edits is made of them. */
export type Fields = Readonly<Record<string, unknown>>

/** Whether a value is an object with fields. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a control for the spec can show a value without changing it. */
export function canShow(spec: FieldSpec, value: unknown): boolean {
  if (value === null) return spec.isNullable === true || spec.kind === 'json'
  switch (spec.kind) {
    case 'text':
      return typeof value === 'string'
    case 'number':
      // A text is a number that is being typed.
      return typeof value === 'number' || typeof value === 'string'
    case 'boolean':
      return typeof value === 'boolean'
    case 'choice':
      return value === undefined || typeof value !== 'object'
    case 'list':
      return Array.isArray(value)
    case 'group':
      return isFields(value)
    case 'json':
      return true
  }
}

/** What a field holds that has just been added. */
export function initialValue(spec: FieldSpec): unknown {
  if (spec.initial !== undefined) return structuredClone(spec.initial)
  switch (spec.kind) {
    case 'text':
    case 'number':
      return ''
    case 'boolean':
      return false
    case 'choice':
      return spec.options[0]
    case 'list':
      return []
    case 'group':
      return Object.fromEntries(
        spec.fields
          .filter(({ isRequired }) => isRequired)
          .map((field) => [field.name, initialValue(field.spec)]),
      )
    case 'json':
      return null
  }
}

/** The object with one field set, in its place; `undefined` takes it out. */
export function withField(fields: Fields, name: string, value: unknown): Fields {
  const entries = new Map(Object.entries(fields))
  if (value === undefined) entries.delete(name)
  else entries.set(name, value)
  return Object.fromEntries(entries)
}

/** Names a place for people, ids and lookups: `items.2.name`. */
export function pathKey(path: FieldPath): string {
  return path.map((key) => String(key).replaceAll(/[.\\]/g, String.raw`\$&`)).join('.')
}

/** The number that a text says, in plain notation; else the text as it is. */
export function numberFrom(text: string): number | string {
  const trimmed = text.trim()
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed) && Number.isFinite(Number(trimmed))
    ? Number(trimmed)
    : text
}
