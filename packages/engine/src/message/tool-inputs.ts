import type { MessageDraft, Slot } from './message-draft.ts'
import { createPartialJson, type PartialJson } from './partial-json.ts'
import type { ToolCallPart } from './tool-part.ts'

/** How the text of an input is to be read. Default `'json'`. */
export type InputEncoding = 'json' | 'text'

/**
 * The inputs of tool calls while they stream in. A delta is only read here; what the text is worth
 * is written into the part when somebody looks.
 */
export interface ToolInputs {
  /** The part that the open input of a call belongs to. */
  slotOf(toolCallId: string): Slot<ToolCallPart> | undefined
  /** Opens the input of a call, with the text that is already there. */
  open(
    toolCallId: string,
    slot: Slot<ToolCallPart>,
    encoding: InputEncoding | undefined,
    text?: string,
  ): void
  /** Takes the next piece of an input; `false` when none is open for the call. */
  append(toolCallId: string, piece: string): boolean
  /** Writes what came in since the last time. */
  write(): void
  /** No more of this input is expected; its part keeps what has come. */
  close(toolCallId: string): void
}

interface OpenInput {
  readonly slot: Slot<ToolCallPart>
  /** None for plain text, whose value is the text. */
  readonly json: PartialJson | undefined
  text: string
  isWritten: boolean
}

export function createToolInputs(draft: MessageDraft): ToolInputs {
  const inputs = new Map<string, OpenInput>()

  function write(): void {
    for (const input of inputs.values()) {
      if (input.isWritten) continue
      input.isWritten = true
      const part = draft.edit(input.slot)
      if (part.state !== 'input-streaming') continue
      part.input = input.json ? input.json.value() : input.text
      part.rawInput = input.text
    }
  }

  return {
    slotOf: (toolCallId) => inputs.get(toolCallId)?.slot,
    open(toolCallId, slot, encoding, text = '') {
      const json = encoding === 'text' ? undefined : createPartialJson()
      json?.feed(text)
      inputs.set(toolCallId, { slot, json, text, isWritten: true })
    },
    append(toolCallId, piece) {
      const input = inputs.get(toolCallId)
      if (!input) return false
      input.text += piece
      input.json?.feed(piece)
      input.isWritten = false
      return true
    },
    write,
    close(toolCallId) {
      write()
      inputs.delete(toolCallId)
    },
  }
}
