import { toolNameOf, type EngineError, type ToolCallPart } from '@assent/engine'
import { onMounted, shallowRef, type ShallowRef } from 'vue'
import { useConfig } from '../../config/config.ts'
import { useChat } from '../../context/chat-context.ts'
import { fieldSpec, type FieldSpec } from './field-spec.ts'

/** What a form may be made of. */
export type InputSchema =
  | { readonly state: 'loading' }
  /** A form, or none where only JSON will do. */
  | { readonly state: 'known'; readonly spec: FieldSpec | undefined }
  /** The input cannot be edited at all. */
  | { readonly state: 'refused'; readonly error: EngineError }

/** The schema of a call's input: the app's own, else that of the conversation's tool plugin. */
export function useInputSchema(
  part: () => ToolCallPart,
  messageId: () => string | undefined,
): Readonly<ShallowRef<InputSchema>> {
  const config = useConfig()
  const chat = useChat()
  const own = config.value.tools.get(toolNameOf(part()))?.inputSchema
  const schema = shallowRef<InputSchema>(own === undefined ? { state: 'loading' } : known(own))

  async function load(): Promise<void> {
    const id = messageId()
    const result = await chat.value?.runPluginCommand('tool', 'readInputSchema', {
      toolCallId: part().toolCallId,
      ...(id !== undefined && { messageId: id }),
    })
    if (result && !result.success) schema.value = refused(result.error)
    else schema.value = known(result?.result?.schema)
  }

  onMounted(() => {
    if (own === undefined) void load()
  })
  return schema
}

function known(schema: unknown): InputSchema {
  const spec = schema === undefined ? undefined : fieldSpec(schema)
  // An input is an object; a form of one field of JSON would be no form.
  return {
    state: 'known',
    spec: spec?.kind === 'group' && spec.fields.length > 0 ? spec : undefined,
  }
}

/** Only a plain no is one: whoever knows no schemas may still take another input. */
function refused(error: EngineError): InputSchema {
  const { code } = error
  return code === 'not_editable' || code === 'executed_elsewhere'
    ? { state: 'refused', error }
    : { state: 'known', spec: undefined }
}
