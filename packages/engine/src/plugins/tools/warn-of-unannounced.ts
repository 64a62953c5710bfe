import type { ToolSet, UIMessage } from 'ai'
import { warnOnce } from '../../development.ts'
import { toolCallsOf } from '../../message/tool-calls.ts'
import { toolNameOf } from '../../message/tool-part.ts'
import { isRunHere, type ToolPluginOptions } from './options.ts'

/**
 * Tells the developer of a page, once, that its tools may be nowhere declared: the model has called none
 * of them, and nothing says who tells the model of them. Elsewhere tools are often handed to the model
 * directly.
 */
export function warnOfUnannounced<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  options: ToolPluginOptions<TOOLS, MESSAGE>,
  messages: readonly MESSAGE[],
): void {
  const { tools = {}, announceTools } = options
  if (announceTools !== undefined || !('document' in globalThis)) return
  const names = Object.keys(tools).filter((name) => isRunHere(options, name))
  const calls = messages.flatMap((message) => toolCallsOf(message))
  if (names.length === 0 || calls.some(({ part }) => names.includes(toolNameOf(part)))) return
  warnOnce(
    `The model has called none of the tools of this page (${names.join(', ')}). Set announceTools: true in toolPlugin to send them with each request, or announceTools: false if the server declares them.`,
  )
}
