import type { FinishReason, UIMessageChunk } from 'ai'

type ChunkOf<TYPE extends UIMessageChunk['type']> = Extract<UIMessageChunk, { type: TYPE }>
type FieldsOf<TYPE extends UIMessageChunk['type']> = Omit<ChunkOf<TYPE>, 'type'>

/** What a whole response carries around its steps. */
export interface ResponseOptions {
  /** The id of the assistant message; without it the reader makes one. */
  messageId?: string
  /** Sent with `start`. */
  messageMetadata?: unknown
  /** Default `'stop'`. */
  finishReason?: FinishReason
  /** Sent with `finish`, e.g. `{ rawFinishReason: 'pause_turn' }`. */
  finishMetadata?: unknown
}

/** A tool call as {@link toolCallChunks} streams it. */
export interface StreamedToolCall extends FieldsOf<'tool-input-available'> {
  /**
   * How the input comes in: in that many deltas (default 1), in the given pieces of text, or at once
   * without any (`false`).
   */
  deltas?: number | readonly string[] | false
}

/** A text part. A list is streamed one delta per element; a string as one delta. */
export function textChunks(id: string, text: string | readonly string[]): UIMessageChunk[] {
  return [
    { type: 'text-start', id },
    ...pieces(text).map((delta): UIMessageChunk => ({ type: 'text-delta', id, delta })),
    { type: 'text-end', id },
  ]
}

/** A reasoning part. A list is streamed one delta per element; a string as one delta. */
export function reasoningChunks(id: string, text: string | readonly string[]): UIMessageChunk[] {
  return [
    { type: 'reasoning-start', id },
    ...pieces(text).map((delta): UIMessageChunk => ({ type: 'reasoning-delta', id, delta })),
    { type: 'reasoning-end', id },
  ]
}

/** A tool call up to its complete input, without a result. */
export function toolCallChunks(call: StreamedToolCall): UIMessageChunk[] {
  const { deltas = 1, ...available } = call
  const complete: UIMessageChunk = { type: 'tool-input-available', ...available }
  if (deltas === false) return [complete]
  const { input, ...start } = available
  const { toolCallId } = call
  const texts = typeof deltas === 'number' ? cut(JSON.stringify(input) ?? '', deltas) : deltas
  return [
    { type: 'tool-input-start', ...start },
    ...texts.map((inputTextDelta): UIMessageChunk => ({
      type: 'tool-input-delta',
      toolCallId,
      inputTextDelta,
    })),
    complete,
  ]
}

/** The result of a tool that ran on the server; all but the last output are preliminary. */
export function toolOutputChunks(toolCallId: string, ...outputs: unknown[]): UIMessageChunk[] {
  return outputs.map((output, index) =>
    index < outputs.length - 1
      ? { type: 'tool-output-available', toolCallId, output, preliminary: true }
      : { type: 'tool-output-available', toolCallId, output },
  )
}

/** The failure of a tool that ran on the server. */
export function toolErrorChunks(toolCallId: string, errorText: string): UIMessageChunk[] {
  return [{ type: 'tool-output-error', toolCallId, errorText }]
}

/** A call that the server runs and asks for first. Default `approvalId`: `approval-<toolCallId>`. */
export function approvalRequestChunks(
  request: Omit<FieldsOf<'tool-approval-request'>, 'approvalId'> & { approvalId?: string },
): UIMessageChunk[] {
  const { approvalId = `approval-${request.toolCallId}` } = request
  return [{ type: 'tool-approval-request', ...request, approvalId }]
}

/** One step: its chunks between `start-step` and `finish-step`. */
export function stepChunks(...chunks: readonly (readonly UIMessageChunk[])[]): UIMessageChunk[] {
  return [{ type: 'start-step' }, ...chunks.flat(), { type: 'finish-step' }]
}

/** A whole response: the given steps (see {@link stepChunks}) between `start` and `finish`. */
export function responseChunks(
  options: ResponseOptions,
  ...steps: readonly (readonly UIMessageChunk[])[]
): UIMessageChunk[] {
  const { messageId, messageMetadata, finishReason = 'stop', finishMetadata } = options
  return [
    {
      type: 'start',
      ...(messageId === undefined ? {} : { messageId }),
      ...(messageMetadata === undefined ? {} : { messageMetadata }),
    },
    ...steps.flat(),
    {
      type: 'finish',
      finishReason,
      ...(finishMetadata === undefined ? {} : { messageMetadata: finishMetadata }),
    },
  ]
}

/** A whole response of one step that says `text` in one part (id `text-1`). */
export function answer(
  text: string | readonly string[],
  options: ResponseOptions = {},
): UIMessageChunk[] {
  return responseChunks(options, stepChunks(textChunks('text-1', text)))
}

/** A whole response of one step that calls tools and ends with `finishReason: 'tool-calls'`. */
export function callTools(
  calls: StreamedToolCall | readonly StreamedToolCall[],
  options: ResponseOptions = {},
): UIMessageChunk[] {
  const list = 'toolCallId' in calls ? [calls] : calls
  return responseChunks(
    { finishReason: 'tool-calls', ...options },
    stepChunks(...list.map(toolCallChunks)),
  )
}

function pieces(text: string | readonly string[]): readonly string[] {
  return typeof text === 'string' ? [text] : text
}

function cut(text: string, count: number): string[] {
  const total = Math.min(Math.max(1, Math.floor(count)), Math.max(1, text.length))
  return Array.from({ length: total }, (_, index) =>
    text.slice(
      Math.floor((index * text.length) / total),
      Math.floor(((index + 1) * text.length) / total),
    ),
  )
}
