import type { Tool } from 'ai'
import { describeThrown, EngineError } from '../../errors.ts'

/** What reading an input by its tool's schema came to. */
export type ReadInput = { value: unknown } | { message: string }

interface StandardIssue {
  message: string
  path?: readonly (PropertyKey | { key: PropertyKey })[] | undefined
}

/**
 * Reads an input by the schema of its tool: a Standard Schema (standardschema.dev), or the AI SDK's
 * `Schema` with `validate`. A schema without a validator accepts everything as it is.
 */
export async function readInput(tool: Tool | undefined, input: unknown): Promise<ReadInput> {
  const schema = resolveSchema(tool)
  if (schema === undefined) return { value: input }
  const standard = field(schema, '~standard')
  const validateStandard = field(standard, 'validate')
  if (typeof validateStandard === 'function') {
    const result: unknown = await validateStandard.call(standard, input)
    const issues = field(result, 'issues')
    if (Array.isArray(issues)) return { message: issues.map(describe).join('; ') }
    return { value: field(result, 'value') }
  }
  const validate = field(schema, 'validate')
  if (typeof validate !== 'function') return { value: input }
  const result: unknown = await validate.call(schema, input)
  return field(result, 'success') === true
    ? { value: field(result, 'value') }
    : { message: describeThrown(field(result, 'error')) }
}

/**
 * The JSON Schema of a tool's input: the AI SDK's `Schema.jsonSchema`, or Standard JSON Schema.
 * Throws `invalid_argument` for a schema that cannot tell.
 */
export async function toJsonSchema(name: string, tool: Tool): Promise<unknown> {
  const schema = resolveSchema(tool)
  if (schema === undefined) return { type: 'object', properties: {} }
  const known = await field(schema, 'jsonSchema')
  if (known !== undefined) return known
  const converter = field(field(schema, '~standard'), 'jsonSchema')
  const toInput = field(converter, 'input')
  if (typeof toInput === 'function') return toInput.call(converter, { target: 'draft-07' })
  throw new EngineError(
    'invalid_argument',
    `Tool "${name}" cannot be announced: its input schema has no JSON Schema. Wrap it in jsonSchema() or zodSchema() of the AI SDK.`,
  )
}

/** A lazy schema of the AI SDK is a function that makes it; a callable Standard Schema is none. */
function resolveSchema(tool: Tool | undefined): unknown {
  const schema: unknown = tool?.inputSchema
  const isLazy = typeof schema === 'function' && field(schema, '~standard') === undefined
  return isLazy ? schema() : schema
}

function describe(issue: StandardIssue): string {
  const path = issue.path?.map((key) => String(typeof key === 'object' ? key.key : key)).join('.')
  return path ? `${path}: ${issue.message}` : issue.message
}

/** A property of something whose type nobody vouches for. */
function field(value: unknown, key: string): unknown {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function'
  return isObject ? Reflect.get(value, key) : undefined
}
