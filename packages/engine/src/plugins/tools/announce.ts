import type { Tool, ToolSet, UIMessage } from 'ai'
import { given } from '../../message/given.ts'
import { toJsonSchema } from './input-schema.ts'
import { ownOf, type ToolPluginOptions } from './options.ts'

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
