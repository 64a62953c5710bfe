import type { UIMessage, UIMessageChunk } from 'ai'
import type { createMessageReducer } from '../../src/message/message-reducer.ts'
import { readWithAiSdk } from './ai-sdk-reader.ts'
import { firstDifference } from './first-difference.ts'

/** A stream, what it goes on with, and what the AI SDK has after each of its chunks. */
export interface Recording {
  readonly initial: UIMessage
  readonly chunks: readonly UIMessageChunk[]
  readonly expected: readonly UIMessage[]
}

/** A message without anything in it. */
export const EMPTY: UIMessage = { id: 'm', role: 'assistant', parts: [] }

/** Records a valid stream. Throws what the AI SDK threw. */
export async function record(
  chunks: readonly UIMessageChunk[],
  initial: UIMessage = EMPTY,
): Promise<Recording> {
  const { messages, error } = await readWithAiSdk(initial, chunks)
  if (error !== undefined) throw error
  return { initial, chunks, expected: messages }
}

/** Records a stream in parts, each going on with the message of the one before. */
export async function recordParts(
  parts: readonly (readonly UIMessageChunk[])[],
): Promise<Recording[]> {
  const recordings: Recording[] = []
  let initial = EMPTY
  for (const chunks of parts) {
    const recording = await record(chunks, initial)
    recordings.push(recording)
    initial = recording.expected.at(-1) ?? initial
  }
  return recordings
}

/**
 * Applies a recorded stream with a reducer of ours; answers where it goes wrong first, if it does:
 * the message is another than that of the AI SDK after a chunk, or what was handed out changes later.
 */
export function findMismatch(
  { initial, chunks, expected }: Recording,
  create: typeof createMessageReducer,
): string | undefined {
  const before = structuredClone(initial)
  const reducer = create(initial)
  const snapshots: UIMessage[] = []
  for (const [index, chunk] of chunks.entries()) {
    const where = `After chunk ${index} (${chunk.type})`
    try {
      reducer.apply(chunk)
    } catch (error) {
      return `${where}: refused, ${String(error)}`
    }
    const snapshot = reducer.snapshot()
    const difference = firstDifference(snapshot, expected[index])
    if (difference) return `${where}: ${difference}`
    snapshots.push(snapshot)
  }
  const changed = snapshots.findIndex((snapshot, index) =>
    firstDifference(snapshot, expected[index]),
  )
  if (changed !== -1) return `What was handed out after chunk ${changed} changed later.`
  return firstDifference(initial, before) && 'The initial message was changed.'
}
