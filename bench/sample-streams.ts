import {
  reasoningChunks,
  responseChunks,
  stepChunks,
  textChunks,
  toolCallChunks,
  toolOutputChunks,
} from '@assent/engine/testing'
import type { UIMessage, UIMessageChunk } from 'ai'

const WORDS = [
  'The',
  ' plan',
  ' moves',
  ' every',
  ' open',
  ' note',
  ' into',
  ' “archive”',
  ',',
  ' keeps',
  ' its',
  ' date',
  ' and',
  '\n- ',
  'leaves',
  ' the rest.',
]

/** As many deltas of prose as asked for: words, punctuation, the odd line break and quote. */
export function proseDeltas(count: number): string[] {
  return Array.from({ length: count }, (_, index) => WORDS[index % WORDS.length] ?? '')
}

/** A response of one long text. */
export function longAnswer(deltas: number): UIMessageChunk[] {
  return responseChunks(
    { messageId: 'answer' },
    stepChunks(textChunks('text-1', proseDeltas(deltas))),
  )
}

/** A response of several steps: reasoning, text, streamed arguments, outputs of 2 KB. */
export function mixedAnswer(steps: number): UIMessageChunk[] {
  const output = { lines: Array.from({ length: 40 }, (_, line) => `${line}: ${'text '.repeat(9)}`) }
  return responseChunks(
    { messageId: 'answer' },
    ...Array.from({ length: steps }, (_, step) =>
      stepChunks(
        reasoningChunks(`reasoning-${step}`, proseDeltas(60)),
        textChunks(`text-${step}`, proseDeltas(120)),
        toolCallChunks({
          toolCallId: `call-${step}`,
          toolName: 'write_file',
          input: { path: `notes/${step}.md`, content: proseDeltas(120).join('') },
          deltas: 60,
        }),
        toolOutputChunks(`call-${step}`, output),
      ),
    ),
  )
}

/** A response of two texts that stream at the same time, a delta of each in turn. */
export function interleavedAnswer(deltas: number): UIMessageChunk[] {
  return responseChunks(
    { messageId: 'answer' },
    stepChunks([
      { type: 'text-start', id: 'a' },
      { type: 'text-start', id: 'b' },
      ...proseDeltas(deltas).map((delta, index): UIMessageChunk => ({
        type: 'text-delta',
        id: index % 2 === 0 ? 'a' : 'b',
        delta,
      })),
      { type: 'text-end', id: 'a' },
      { type: 'text-end', id: 'b' },
    ]),
  )
}

/** A stream that holds all of its chunks from the start. */
export function streamOf<ITEM>(items: readonly ITEM[]): ReadableStream<ITEM> {
  return new ReadableStream({
    start(controller) {
      for (const item of items) controller.enqueue(item)
      controller.close()
    },
  })
}

/** Reads a stream to its end; returns how many items it held. */
export async function drain(stream: ReadableStream<unknown>): Promise<number> {
  const reader = stream.getReader()
  let count = 0
  while (!(await reader.read()).done) count += 1
  return count
}

/** Short messages of text, questions and answers in turn. */
export function historyOf(length: number): UIMessage[] {
  return Array.from({ length }, (_, index) => ({
    id: `history-${index}`,
    role: index % 2 === 0 ? 'user' : 'assistant',
    parts: [{ type: 'text', text: `Message ${index} of the history.`, state: 'done' }],
  }))
}

/** Finished parts of an answer: texts and tool calls in turn. */
export function partsOf(count: number): UIMessage['parts'] {
  return Array.from({ length: count }, (_, index) =>
    index % 2 === 0
      ? { type: 'text', text: `Part ${index}.`, state: 'done' }
      : {
          type: 'tool-read_file',
          toolCallId: `call-${index}`,
          state: 'output-available',
          input: { path: `notes/${index}.md` },
          output: 'A line.',
        },
  )
}
