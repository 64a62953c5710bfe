import type { ToolSet, UIMessage } from 'ai'
import { EngineError } from '../../errors.ts'
import { toolNameOf } from '../../message/tool-part.ts'
import type { ReadInputSchemaResult } from './commands.ts'
import { editableTool } from './editable-tool.ts'
import { findCall, isTarget } from './find-call.ts'
import { toJsonSchema } from './input-schema.ts'
import type { CommandScope } from './tool-runtime.ts'

/**
 * Tells what a call's input may be, for a form that edits it. Refused, as the edit itself would be,
 * for calls that are executed elsewhere and for tools whose inputs cannot be validated.
 */
export async function readInputSchema<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  payload: unknown,
  { options, context }: Pick<CommandScope<TOOLS, MESSAGE>, 'options' | 'context'>,
): Promise<ReadInputSchemaResult> {
  if (!isTarget(payload)) {
    const text = 'readInputSchema takes a toolCallId, and a messageId where that is not enough.'
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
