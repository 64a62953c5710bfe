import type { Tool } from 'ai'
import { isDevelopment } from '../../development.ts'
import { EngineError } from '../../errors.ts'
import { isRecord } from '../../message/tool-part.ts'

type Awaitable<T> = T | PromiseLike<T>

/** What is used of a Standard Schema (standardschema.dev) and of the AI SDK's `Schema`. */
interface InputSchema {
  '~standard'?: {
    validate?: (value: unknown) => Awaitable<{ value?: unknown; issues?: readonly Issue[] }>
    jsonSchema?: { input?: (options: { target: string }) => unknown }
  }
  validate?: (value: unknown) => Awaitable<{ success: boolean; value?: unknown; error?: unknown }>
  jsonSchema?: unknown
}

/** What a schema does not accept, and where. */
export interface InputIssue {
  readonly message: string
  /** Names of fields and places in lists, from the outside in; empty for the input as a whole. */
  readonly path: readonly (string | number)[]
}

/** Why a schema refused, by field. */
class InputRefusal extends TypeError {
  readonly issues: readonly Issue[]

  constructor(issues: readonly Issue[]) {
    super(issues.map(describe).join('; '))
    this.issues = issues
  }
}

interface Issue {
  message: string
  path?: readonly (PropertyKey | { key: PropertyKey })[] | undefined
}

/**
 * Reads an input by the schema of its tool: a Standard Schema, or the AI SDK's `Schema` with
 * `validate`. A schema without a validator accepts everything as it is. Throws when it refuses.
 */
export async function readInput(tool: Tool | undefined, input: unknown): Promise<unknown> {
  const schema = schemaOf(tool)
  const standard = schema?.['~standard']
  if (standard?.validate) {
    const { issues, value } = await standard.validate(input)
    if (issues) throw new InputRefusal(issues)
    return value
  }
  if (!schema?.validate) return input
  const { success, value, error } = await schema.validate(input)
  if (success) return value
  throw error
}

/** What a schema said field by field when reading an input threw; empty when it did not. */
export function issuesOf({ cause: thrown }: { readonly cause?: unknown }): readonly InputIssue[] {
  const issues: unknown = isRecord(thrown) ? thrown['issues'] : undefined
  if (!Array.isArray(issues)) return []
  return issues.filter(isIssue).map((issue) => ({ message: issue.message, path: keysOf(issue) }))
}

/** Whether a tool's schema can tell a good input from a bad one. */
export function canValidate(tool: Tool | undefined): boolean {
  const schema = schemaOf(tool)
  return (schema?.['~standard']?.validate ?? schema?.validate) !== undefined
}

/**
 * The JSON Schema of a tool's input: the AI SDK's `Schema.jsonSchema`, or Standard JSON Schema.
 * Throws `invalid_argument` for a schema that cannot tell.
 */
export async function toJsonSchema(name: string, tool: Tool): Promise<unknown> {
  const schema = schemaOf(tool)
  if (!schema) return { type: 'object', properties: {} }
  const json =
    (await schema.jsonSchema) ?? schema['~standard']?.jsonSchema?.input?.({ target: 'draft-07' })
  if (json !== undefined) return json
  throw new EngineError(
    'invalid_argument',
    isDevelopment &&
      `Tool "${name}" cannot be announced: wrap its schema in jsonSchema() or zodSchema() of the AI SDK.`,
  )
}

/** A lazy schema of the AI SDK is a function that makes it; a callable Standard Schema is none. */
function schemaOf(tool: Tool | undefined): InputSchema | undefined {
  const schema: unknown = tool?.inputSchema
  const isLazy = typeof schema === 'function' && !('~standard' in schema)
  // The type of a tool allows these schemas alone.
  return (isLazy ? schema() : schema) as InputSchema | undefined
}

function isIssue(value: unknown): value is Issue {
  if (!isRecord(value)) return false
  const { message, path } = value
  return typeof message === 'string' && (path === undefined || Array.isArray(path))
}

function keysOf({ path = [] }: Issue): (string | number)[] {
  return path
    .map((key) => (typeof key === 'object' ? key.key : key))
    .map((key) => (typeof key === 'number' ? key : String(key)))
}

function describe(issue: Issue): string {
  return [keysOf(issue).join('.'), issue.message].filter(Boolean).join(': ')
}
