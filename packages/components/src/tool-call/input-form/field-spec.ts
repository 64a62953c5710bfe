/** What a form knows of one value of an input, out of its JSON Schema. */
export type FieldSpec = FieldKind & {
  /** From the schema's `title`. */
  readonly title?: string
  readonly description?: string
  /** What a new value starts as. */
  readonly initial?: unknown
  /** `null` is a value, too. */
  readonly isNullable?: boolean
}

type FieldKind =
  | {
      readonly kind: 'text'
      readonly isLong: boolean
      readonly format?: string
      readonly pattern?: string
      readonly min?: number
      readonly max?: number
    }
  | {
      readonly kind: 'number'
      readonly isWhole: boolean
      readonly min?: number
      readonly max?: number
      readonly above?: number
      readonly below?: number
      readonly step?: number
    }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'choice'; readonly options: readonly unknown[] }
  | {
      readonly kind: 'list'
      readonly item: FieldSpec
      readonly min?: number
      readonly max?: number
    }
  | { readonly kind: 'group'; readonly fields: readonly NamedField[] }
  /** What a form cannot show; it is edited as JSON. */
  | { readonly kind: 'json' }

/** A field of an object. */
export interface NamedField {
  readonly name: string
  readonly spec: FieldSpec
  readonly isRequired: boolean
}

type Schema = Readonly<Record<string, unknown>>

/** Deeper than this it is JSON; also what refers to itself ends there. */
const MAX_DEPTH = 5
const MOST_OPTIONS = 200
const LONG_FROM = 120
const LONG_NAME = /body|text|content|message|description|note|comment|prompt|query|code|script|sql/i

/** The form for a JSON Schema. What it does not understand becomes JSON, never nothing. */
export function fieldSpec(schema: unknown): FieldSpec {
  return read(schema, { root: schema, depth: 0, name: '' })
}

interface Place {
  readonly root: unknown
  readonly depth: number
  readonly name: string
}

function read(given: unknown, place: Place): FieldSpec {
  const schema = resolve(given, place.root)
  if (!schema || place.depth > MAX_DEPTH) return { kind: 'json' }
  const { rest, isNullable } = withoutNull(schema, place.root)
  const kind = rest ? readKind(rest, place) : ({ kind: 'json' } as const)
  const source = { ...rest, ...schema }
  return {
    ...kind,
    ...textOf(source, 'title'),
    ...textOf(source, 'description'),
    ...(source['default'] !== undefined && { initial: source['default'] }),
    ...(isNullable && { isNullable }),
  }
}

function readKind(schema: Schema, place: Place): FieldKind {
  const options = optionsOf(schema, place.root)
  if (options) return { kind: 'choice', options }
  // Alternatives are more than a field can show.
  if (['anyOf', 'oneOf', 'not', 'if'].some((word) => word in schema)) return { kind: 'json' }
  switch (schema['type'] ?? (isSchema(schema['properties']) ? 'object' : undefined)) {
    case 'string':
      return readText(schema, place.name)
    case 'number':
    case 'integer':
      return readNumber(schema)
    case 'boolean':
      return { kind: 'boolean' }
    case 'array':
      return readList(schema, place)
    case 'object':
      return readGroup(schema, place)
    default:
      return { kind: 'json' }
  }
}

function readText(schema: Schema, name: string): FieldKind {
  const max = numberOf(schema, 'maxLength', 'max')
  const { format } = textOf(schema, 'format')
  const isLong = format === undefined && (LONG_NAME.test(name) || (max.max ?? 0) > LONG_FROM)
  return {
    kind: 'text',
    isLong,
    ...(format !== undefined && { format }),
    ...textOf(schema, 'pattern'),
    ...numberOf(schema, 'minLength', 'min'),
    ...max,
  }
}

function readNumber(schema: Schema): FieldKind {
  return {
    kind: 'number',
    isWhole: schema['type'] === 'integer',
    ...numberOf(schema, 'minimum', 'min'),
    ...numberOf(schema, 'maximum', 'max'),
    ...numberOf(schema, 'exclusiveMinimum', 'above'),
    ...numberOf(schema, 'exclusiveMaximum', 'below'),
    ...numberOf(schema, 'multipleOf', 'step'),
  }
}

function readList(schema: Schema, place: Place): FieldKind {
  const { items } = schema
  if (!isSchema(items) || 'prefixItems' in schema) return { kind: 'json' }
  const item = read(items, { ...place, depth: place.depth + 1 })
  if (item.kind === 'json') return { kind: 'json' }
  return {
    kind: 'list',
    item,
    ...numberOf(schema, 'minItems', 'min'),
    ...numberOf(schema, 'maxItems', 'max'),
  }
}

function readGroup(schema: Schema, { root, depth }: Place): FieldKind {
  const { properties, required } = schema
  if (!isSchema(properties)) return { kind: 'json' }
  const names = Array.isArray(required) ? required : []
  return {
    kind: 'group',
    fields: Object.entries(properties).map(([name, field]) => ({
      name,
      spec: read(field, { root, depth: depth + 1, name }),
      isRequired: names.includes(name),
    })),
  }
}

/** The values of an enum, a constant, or of alternatives that are constants. */
function optionsOf(schema: Schema, root: unknown): readonly unknown[] | undefined {
  if ('const' in schema) return [schema['const']]
  const { enum: values } = schema
  if (Array.isArray(values) && values.length <= MOST_OPTIONS) return values
  const parts = alternativesOf(schema)?.map((part) => resolve(part, root))
  if (!parts || !parts.every((part) => part && 'const' in part)) return undefined
  return parts.map((part) => part?.['const'])
}

/** A schema without its `null`, and whether it had one. */
function withoutNull(
  schema: Schema,
  root: unknown,
): { rest: Schema | undefined; isNullable: boolean } {
  const { type } = schema
  if (schema['nullable'] === true) return { rest: schema, isNullable: true }
  if (Array.isArray(type)) {
    const types: unknown[] = type.filter((one) => one !== 'null')
    const isNullable = types.length < type.length
    return { rest: types.length === 1 ? { ...schema, type: types[0] } : undefined, isNullable }
  }
  const parts = alternativesOf(schema)?.map((part) => resolve(part, root))
  if (!parts?.some((part) => part?.['type'] === 'null')) return { rest: schema, isNullable: false }
  const others = parts.filter((part) => part?.['type'] !== 'null')
  if (others.length === 1) return { rest: others[0], isNullable: true }
  const { anyOf: _anyOf, oneOf: _oneOf, ...common } = schema
  return { rest: { ...common, anyOf: others }, isNullable: true }
}

function alternativesOf(schema: Schema): readonly unknown[] | undefined {
  const parts = schema['anyOf'] ?? schema['oneOf']
  return Array.isArray(parts) && parts.length > 0 ? parts : undefined
}

/** What a reference within the schema means; a wrapper around one schema is that schema. */
function resolve(given: unknown, root: unknown): Schema | undefined {
  let schema = given
  for (let hops = 0; hops < MAX_DEPTH; hops++) {
    if (!isSchema(schema)) return undefined
    const { $ref: ref, allOf, ...own }: Schema = schema
    if (typeof ref === 'string') {
      const found = ref.startsWith('#') ? at(root, ref.slice(1)) : undefined
      if (!isSchema(found)) return undefined
      schema = { ...found, ...own }
    } else if (Array.isArray(allOf) && allOf.length === 1) {
      const [only]: unknown[] = allOf
      if (!isSchema(only)) return undefined
      schema = { ...only, ...own }
    } else return allOf === undefined ? schema : undefined
  }
  return undefined
}

/** By JSON Pointer (RFC 6901). */
function at(root: unknown, pointer: string): unknown {
  let value = root
  for (const key of pointer.split('/').slice(1)) {
    const name = decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')
    if (!isSchema(value) || !Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}

function textOf<NAME extends string>(schema: Schema, name: NAME): { [KEY in NAME]?: string } {
  const value = schema[name]
  return (typeof value === 'string' && value !== '' ? { [name]: value } : {}) as {
    [KEY in NAME]?: string
  }
}

function numberOf<NAME extends string>(
  schema: Schema,
  word: string,
  name: NAME,
): { [KEY in NAME]?: number } {
  const value = schema[word]
  return (typeof value === 'number' ? { [name]: value } : {}) as { [KEY in NAME]?: number }
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
