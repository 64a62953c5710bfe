import type { ToolSet, UIMessage } from 'ai'
import { EngineError } from '../../errors.ts'
import { isElsewhere, toolNameOf } from '../../message/tool-part.ts'
import type { ReadInputSchemaResult } from './commands.ts'
import { findCall, isTarget, refusal } from './find-call.ts'
import { canValidate, toJsonSchema } from './input-schema.ts'
import { toolOf } from './options.ts'
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
  const toolName = toolNameOf(part)
  if (isElsewhere(part) || part.approval?.signature !== undefined) {
    const text = 'This call is executed elsewhere, with the input that was asked about.'
    throw refusal('not_editable', text, payload)
  }
  const tool = toolOf(options, toolName)
  if (!tool || !canValidate(tool)) {
    const text = `Give tool "${toolName}" a schema that validates, so that its inputs can be edited.`
    throw refusal('not_editable', text, payload)
  }
  try {
    return { schema: await toJsonSchema(toolName, tool) }
  } catch {
    // Not every Standard Schema has a JSON Schema: its inputs are edited as JSON.
    return {}
  }
}
