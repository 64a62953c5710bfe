import type { Tool, ToolSet, UIMessage } from 'ai'
import { isDevelopment } from '../../development.ts'
import { EngineError } from '../../errors.ts'
import { type ToolCallPart, isElsewhere, toolNameOf } from '../../message/tool-part.ts'
import type { ReadInputSchemaResult, ToolCallTarget } from './commands.ts'
import { findCall, isTarget, refusal } from './find-call.ts'
import { canValidate, toJsonSchema } from './input-schema.ts'
import type { CommandScope } from './open-call.ts'
import { type ToolPluginOptions, toolOf } from './options.ts'

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
  { options, context }: Pick<CommandScope<TOOLS, MESSAGE>, 'options' | 'context'>,
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
