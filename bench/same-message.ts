import { deepStrictEqual } from 'node:assert/strict'
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'
import { createMessageReducer } from '../packages/engine/src/message/message-reducer.ts'
import { streamOf } from './sample-streams.ts'

/** Throws unless our reducer and the AI SDK's reader make the same message of the same chunks. */
export async function expectSameMessage(
  message: UIMessage,
  chunks: readonly UIMessageChunk[],
): Promise<void> {
  const reducer = createMessageReducer(message)
  for (const chunk of chunks) reducer.apply(chunk)
  let last: UIMessage | undefined
  const stream = streamOf(chunks)
  for await (const read of readUIMessageStream({ message: structuredClone(message), stream })) {
    last = read
  }
  deepStrictEqual(asJson(reducer.snapshot()), asJson(last))
}

/** Without the properties that are there but `undefined`. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null))
}
