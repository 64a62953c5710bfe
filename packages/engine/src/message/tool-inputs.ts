import type { MessageDraft, Slot } from './message-draft.ts'
import { PartialJson } from './partial-json.ts'
import type { ToolCallPart } from './tool-part.ts'

/** How the text of an input is to be read. Default `'json'`. */
export type InputEncoding = 'json' | 'text'

/** The text of an input so far, and what it is worth. */
interface InputReader {
  readonly text: string
  feed(text: string): void
  value(): unknown
}

interface OpenInput {
  readonly slot: Slot<ToolCallPart>
  readonly reader: InputReader
}

/**
 * The inputs of tool calls while they stream in. A delta is only read here; what the text is worth
 * is written into the part when somebody looks.
 */
export class ToolInputs {
  readonly #draft: MessageDraft
  readonly #open = new Map<string, OpenInput>()
  readonly #unwritten = new Set<OpenInput>()

  constructor(draft: MessageDraft) {
    this.#draft = draft
  }

  /** The part that the open input of a call belongs to. */
  slotOf(toolCallId: string): Slot<ToolCallPart> | undefined {
    return this.#open.get(toolCallId)?.slot
  }

  /** Opens the input of a call, with the text that is already there. */
  open(
    toolCallId: string,
    slot: Slot<ToolCallPart>,
    encoding: InputEncoding | undefined,
    text = '',
  ): void {
    this.close(toolCallId)
    const reader = encoding === 'text' ? new PlainText() : new PartialJson()
    reader.feed(text)
    this.#open.set(toolCallId, { slot, reader })
  }

  /** Takes the next piece of an input; `false` when none is open for the call. */
  append(toolCallId: string, text: string): boolean {
    const input = this.#open.get(toolCallId)
    if (!input) return false
    input.reader.feed(text)
    this.#unwritten.add(input)
    return true
  }

  /** Writes what came in since the last time. */
  write(): void {
    for (const input of this.#unwritten) this.#write(input)
    this.#unwritten.clear()
  }

  /** No more of this input is expected; its part keeps what has come. */
  close(toolCallId: string): void {
    const input = this.#open.get(toolCallId)
    if (!input) return
    if (this.#unwritten.delete(input)) this.#write(input)
    this.#open.delete(toolCallId)
  }

  closeAll(): void {
    this.write()
    this.#open.clear()
  }

  #write({ slot, reader }: OpenInput): void {
    const part = this.#draft.edit(slot)
    if (part.state !== 'input-streaming') return
    part.input = reader.value()
    part.rawInput = reader.text
  }
}

/** An input that is no JSON: its value is its text. */
class PlainText implements InputReader {
  text = ''

  feed(text: string): void {
    this.text += text
  }

  value(): string {
    return this.text
  }
}
