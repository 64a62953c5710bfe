import type { Tool, ToolSet, UIMessage } from 'ai'
import { isDevelopment } from '../../development.ts'
import { EngineError } from '../../errors.ts'
import { given } from '../../message/given.ts'
import { isElsewhere, isRecord, toolNameOf, type ToolCallPart } from '../../message/tool-part.ts'
import type { PluginContext } from '../../plugin.ts'
import type { ReadInputSchemaResult, ToolCallTarget } from './commands.ts'
import { canonicalJson, sha256Hex } from './fingerprint.ts'
import { ownOf, toolOf, type ToolPluginOptions } from './options.ts'
import { findCall, isTarget, refusal } from './turn-calls.ts'

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
function canValidate(tool: Tool | undefined): boolean {
  const schema = schemaOf(tool)
  return (schema?.['~standard']?.validate ?? schema?.validate) !== undefined
}

/**
 * The JSON Schema of a tool's input: the AI SDK's `Schema.jsonSchema`, or Standard JSON Schema.
 * Throws `invalid_argument` for a schema that cannot tell.
 */
async function toJsonSchema(name: string, tool: Tool): Promise<unknown> {
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

/** What tells whether a tool still takes the same input, by name; a tool that cannot tell has none. */
type ToolSchemas = ReadonlyMap<string, string | undefined>

interface Schemas {
  readonly loading: Promise<ToolSchemas>
  known?: ToolSchemas
}

/** The tools of a plugin never change, so its options are the key. */
const schemas = new WeakMap<object, Schemas>()

/** Fingerprints of the schemas of a plugin's tools, made once. */
export function loadToolSchemas<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  options: ToolPluginOptions<TOOLS, MESSAGE>,
): Promise<ToolSchemas> {
  const before = schemas.get(options)
  if (before) return before.loading
  const made: Schemas = { loading: makeToolSchemas(options) }
  schemas.set(options, made)
  void made.loading.then((known) => (made.known = known))
  return made.loading
}

/** What {@link loadToolSchemas} has loaded, if it has. */
export function knownToolSchemas(options: object): ToolSchemas | undefined {
  return schemas.get(options)?.known
}

async function makeToolSchemas<TOOLS extends ToolSet, MESSAGE extends UIMessage>({
  tools = {} as TOOLS,
}: ToolPluginOptions<TOOLS, MESSAGE>): Promise<ToolSchemas> {
  const entries = await Promise.all(
    Object.entries(tools).map(async ([name, tool]): Promise<[string, string | undefined]> => {
      try {
        return [name, sha256Hex(canonicalJson(await toJsonSchema(name, tool)))]
      } catch {
        // Not every Standard Schema has a JSON Schema: such a tool cannot be seen to change.
        return [name, undefined]
      }
    }),
  )
  return new Map(entries)
}

/** A tool that runs here, as the server is told about it. */
export interface AnnouncedTool {
  name: string
  description?: string
  /** JSON Schema. */
  inputSchema: unknown
}

/**
 * What is sent as `tools` in the request body, in the order given: the tools that run here, and those
 * that a person or the app answers for. A provider's own tools it knows itself.
 */
export async function announceTools<TOOLS extends ToolSet, MESSAGE extends UIMessage>({
  tools,
  callTool,
  toolsContext,
}: ToolPluginOptions<TOOLS, MESSAGE>): Promise<AnnouncedTool[]> {
  const here = Object.entries(tools ?? {}).filter(
    ([, { execute, type }]) => execute ?? callTool ?? type !== 'provider',
  )
  return Promise.all(
    here.map(async ([name, tool]) => {
      const description = descriptionOf(tool, ownOf(toolsContext, name))
      return { name, ...given({ description }), inputSchema: await toJsonSchema(name, tool) }
    }),
  )
}

function descriptionOf(tool: Tool, context: unknown): string | undefined {
  const { description } = tool
  if (typeof description !== 'function') return description
  // A description that depends on a context gets the one that the tool's calls get.
  return description({ context } as Parameters<typeof description>[0])
}

/** The tool of a call whose input can be edited. Throws `not_editable`. */
export function editableTool<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  options: ToolPluginOptions<TOOLS, MESSAGE>,
  part: ToolCallPart,
  target: ToolCallTarget,
): Tool {
  if (isElsewhere(part) || part.approval?.signature !== undefined) {
    const text =
      'This call is executed elsewhere, with the input that was asked about: deny it and say why.'
    throw refusal('not_editable', text, target)
  }
  const toolName = toolNameOf(part)
  const tool = toolOf(options, toolName)
  if (tool && canValidate(tool)) return tool
  const text = `Give tool "${toolName}" a schema that validates, so that its inputs can be edited.`
  throw refusal('not_editable', text, target)
}

/**
 * Tells what a call's input may be, for a form that edits it. Refused, as the edit itself would be,
 * for calls that are executed elsewhere and for tools whose inputs cannot be validated.
 */
export async function readInputSchema<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  payload: unknown,
  {
    options,
    context,
  }: {
    readonly options: ToolPluginOptions<TOOLS, MESSAGE>
    readonly context: PluginContext<MESSAGE>
  },
): Promise<ReadInputSchemaResult> {
  if (!isTarget(payload)) {
    const text =
      isDevelopment &&
      'readInputSchema takes a toolCallId, and a messageId where that is not enough.'
    throw new EngineError('invalid_argument', text)
  }
  const { part } = findCall(context, payload, () => true)
  const tool = editableTool(options, part, payload)
  try {
    return { schema: await toJsonSchema(toolNameOf(part), tool) }
  } catch {
    // Not every Standard Schema has a JSON Schema: its inputs are edited as JSON.
    return {}
  }
}
