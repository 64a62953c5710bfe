import type { Tool, ToolSet, UIMessage } from 'ai'
import { isElsewhere, toolNameOf, type ToolCallPart } from '../../message/tool-part.ts'
import type { ToolCallTarget } from './commands.ts'
import { refusal } from './find-call.ts'
import { canValidate } from './input-schema.ts'
import { toolOf, type ToolPluginOptions } from './options.ts'

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
