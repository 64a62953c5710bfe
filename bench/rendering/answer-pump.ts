import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai'

/** A transport whose one answer is pumped by hand, a chunk per macrotask, as a network does it. */
export interface AnswerPump {
  readonly transport: ChatTransport<UIMessage>
  /**
   * Makes ready to stream chunks; what it returns starts that, and resolves in the macrotask after
   * the last chunk.
   */
  load(chunks: readonly UIMessageChunk[]): () => Promise<void>
  /** Ends the stream. */
  close(): void
}

/** Chunks before the deltas of an answer. */
export const OPENING: readonly UIMessageChunk[] = [
  { type: 'start', messageId: 'answer' },
  { type: 'start-step' },
  { type: 'text-start', id: 'text' },
]

/** Chunks after them. */
export const ENDING: readonly UIMessageChunk[] = [
  { type: 'text-end', id: 'text' },
  { type: 'finish-step' },
  { type: 'finish', finishReason: 'stop' },
]

/** The deltas of an answer: the same words for all who are compared. */
export function wordDeltas(count: number): UIMessageChunk[] {
  return Array.from({ length: count }, (_, index) => ({
    type: 'text-delta',
    id: 'text',
    delta: `word${index % 10} `,
  }))
}

export function createAnswerPump(): AnswerPump {
  let controller: ReadableStreamDefaultController<UIMessageChunk> | undefined
  const stream = new ReadableStream<UIMessageChunk>({
    start(started) {
      controller = started
    },
  })
  return {
    transport: {
      sendMessages: () => Promise.resolve(stream),
      reconnectToStream: () => Promise.resolve(null),
    },
    load(chunks) {
      const { port1, port2 } = new MessageChannel()
      // Posted beforehand, as posting costs as much as all the rest of the pump; each message is a
      // macrotask of its own, and none comes before the port is started.
      for (let posted = 0; posted <= chunks.length; posted += 1) port2.postMessage(null)
      return () =>
        new Promise((resolve) => {
          let next = 0
          port1.addEventListener('message', () => {
            const chunk = chunks[next]
            next += 1
            if (chunk) {
              controller?.enqueue(chunk)
              return
            }
            port1.close()
            resolve()
          })
          port1.start()
        })
    },
    close: () => controller?.close(),
  }
}
