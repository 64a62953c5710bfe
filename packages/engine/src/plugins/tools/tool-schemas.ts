import type { Tool, ToolSet, UIMessage } from 'ai'
import { given } from '../../message/given.ts'
import { canonicalJson, sha256Hex } from './fingerprint.ts'
import { toJsonSchema } from './input-schema.ts'
import { type ToolPluginOptions, ownOf } from './options.ts'

/** What tells whether a tool still takes the same input, by name; a tool that cannot tell has none. */
export type ToolSchemas = ReadonlyMap<string, string>

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
    Object.entries(tools).map(async ([name, tool]): Promise<[string, string][]> => {
      try {
        return [[name, sha256Hex(canonicalJson(await toJsonSchema(name, tool)))]]
      } catch {
        // Not every Standard Schema has a JSON Schema: such a tool cannot be seen to change.
        return []
      }
    }),
  )
  return new Map(entries.flat())
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
      const description = describe(tool, ownOf(toolsContext, name))
      return { name, ...given({ description }), inputSchema: await toJsonSchema(name, tool) }
    }),
  )
}

function describe(tool: Tool, context: unknown): string | undefined {
  const { description } = tool
  if (typeof description !== 'function') return description
  // A description that depends on a context gets the one that the tool's calls get.
  return description({ context } as Parameters<typeof description>[0])
}
