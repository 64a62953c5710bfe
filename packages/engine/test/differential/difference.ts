import type { UIMessage, UIMessageChunk } from 'ai'
import type { ChunkOf } from '../../src/message/chunk.ts'
import type { MessageReducerOptions } from '../../src/message/message-reducer.ts'

/** A stream that is read otherwise than the AI SDK reads it, and why. */
export interface Difference {
  readonly name: string
  readonly why: string
  readonly initial?: UIMessage
  readonly options?: MessageReducerOptions
  readonly chunks: readonly UIMessageChunk[]
  /** What the message has then, or that the last chunk is refused with `stream_invalid`. */
  readonly ours: Partial<UIMessage> | 'refused'
}

export const STEP: UIMessageChunk = { type: 'start-step' }

export function call(toolName: string, input: unknown = {}): UIMessageChunk {
  return { type: 'tool-input-available', toolCallId: 'a', toolName, input }
}

export const REQUEST: UIMessageChunk = {
  type: 'tool-approval-request',
  approvalId: 'p',
  toolCallId: 'a',
}
export const YES: UIMessageChunk = {
  type: 'tool-approval-response',
  approvalId: 'p',
  approved: true,
}
export const NO: UIMessageChunk = {
  type: 'tool-approval-response',
  approvalId: 'p',
  approved: false,
}
export const OUTPUT: ChunkOf<'tool-output-available'> = {
  type: 'tool-output-available',
  toolCallId: 'a',
  output: 1,
}

export const ONE_INPUT =
  'What was decided or done was decided or done for the input that is there, and every call needs a ' +
  'result of its own: an input that is complete is not replaced.'
export const ONE_DECISION =
  'Whatever was decided or done cannot be opened again or turned round by the stream.'
export const ONE_PART = 'A call has one part: a second one would wait for a result for ever.'

/** The input of a call as it streams in. */
export function streaming(inputTextDelta: string): UIMessageChunk[] {
  return [
    { type: 'tool-input-start', toolCallId: 'a', toolName: 'write' },
    { type: 'tool-input-delta', toolCallId: 'a', inputTextDelta },
  ]
}

export function streamingParts(rawInput: string, input: unknown): Partial<UIMessage> {
  return {
    parts: [{ type: 'tool-write', toolCallId: 'a', state: 'input-streaming', rawInput, input }],
  }
}

/** All of them. */
