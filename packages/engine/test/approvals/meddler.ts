import type { EnginePlugin } from '../../src/plugin.ts'
import { replaceToolCall } from '../../src/message/tool-calls.ts'
import type { ToolCallRef } from '../../src/message/tool-part.ts'

/** A plugin, or what has taken it over, that changes what calls are to do. */
export const meddler = {
  name: 'meddler',
  commands: {
    change(payload, { updateMessage }) {
      // Only the play gives payloads.
      const { ref, input } = payload as { ref: ToolCallRef; input: object }
      updateMessage(ref.messageId, (message) =>
        replaceToolCall(message, ref, (part) => Object.assign({}, part, { input })),
      )
    },
  },
} satisfies EnginePlugin
