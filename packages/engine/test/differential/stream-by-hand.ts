import type { UIMessage, UIMessageChunk } from 'ai'

/** A stream that is hard in a way of its own. */
export interface StreamByHand {
  readonly name: string
  /** What it goes on with. Default: an empty message. */
  readonly initial?: UIMessage
  readonly chunks: readonly UIMessageChunk[]
}

export const STEP: UIMessageChunk = { type: 'start-step' }

export function call(toolCallId: string, toolName: string, input: unknown = {}): UIMessageChunk {
  return { type: 'tool-input-available', toolCallId, toolName, input }
}

export function inputStart(toolCallId: string, toolName: string): UIMessageChunk {
  return { type: 'tool-input-start', toolCallId, toolName }
}

export function inputDelta(toolCallId: string, inputTextDelta: string): UIMessageChunk {
  return { type: 'tool-input-delta', toolCallId, inputTextDelta }
}

export function output(toolCallId: string, value: unknown, preliminary?: boolean): UIMessageChunk {
  return {
    type: 'tool-output-available',
    toolCallId,
    output: value,
    ...(preliminary && { preliminary }),
  }
}

export function text(id: string, delta: string): UIMessageChunk {
  return { type: 'text-delta', id, delta }
}
