import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'

/** What the AI SDK made of a stream. */
export interface Reading {
  /** The message after each chunk, up to the one that it did not accept. */
  messages: UIMessage[]
  /** Why it stopped reading. */
  error?: unknown
}

/**
 * Reads a stream with the AI SDK's `readUIMessageStream`, one chunk at a time.
 *
 * Not every chunk makes it emit a message. So each is followed by a `start` that names the message as
 * it is called already: it changes nothing and always makes it emit.
 */
export async function readWithAiSdk(
  initial: UIMessage,
  chunks: readonly UIMessageChunk[],
): Promise<Reading> {
  const { readable, writable } = new TransformStream<UIMessageChunk, UIMessageChunk>(
    undefined,
    { highWaterMark: Infinity },
    { highWaterMark: Infinity },
  )
  const writer = writable.getWriter()
  const failures: unknown[] = []
  const emitted = readUIMessageStream({
    message: structuredClone(initial),
    stream: readable,
    onError: (error) => failures.push(error),
  })
  let latest = initial
  const reading = (async () => {
    for await (const message of emitted) latest = message
  })()

  const messages: UIMessage[] = []
  let id = initial.id
  for (const chunk of chunks) {
    failures.length = 0
    if (chunk.type === 'start' && typeof chunk.messageId === 'string') id = chunk.messageId
    // The AI SDK puts data chunks into the message as they are, and changes them there.
    const writes = [
      writer.write(structuredClone(chunk)),
      writer.write({ type: 'start', messageId: id }),
    ]
    for (const write of writes) write.catch(() => undefined)
    // All that a chunk sets off is promises: the next turn of the event loop comes after it.
    await new Promise(setImmediate)
    if (failures.length > 0 && chunk.type !== 'error') return { messages, error: failures[0] }
    messages.push(latest)
  }
  await writer.close()
  await reading
  return { messages }
}
