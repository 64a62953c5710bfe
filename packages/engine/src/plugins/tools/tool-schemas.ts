import type { ToolSet, UIMessage } from 'ai'
import { canonicalJson, sha256Hex } from './fingerprint.ts'
import { toJsonSchema } from './input-schema.ts'
import type { ToolPluginOptions } from './options.ts'

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
