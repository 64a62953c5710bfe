import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai'

/** A transport whose one answer is pumped by hand, a chunk per macrotask, as a network does it. */
export interface AnswerPump {
  readonly transport: ChatTransport<UIMessage>
  /** Streams up to the start of the text. Resolves when all of it was handed over. */
  begin(): Promise<void>
  /** Streams deltas of the text. Resolves in the macrotask after the last one. */
  deltas(count: number): Promise<void>
  /** Ends the answer. */
  finish(): Promise<void>
}

/** The delta of an index: the same words for all who are compared. */
export function deltaText(index: number): string {
  return `word${index % 10} `
}

export function createAnswerPump(): AnswerPump {
  let controller: ReadableStreamDefaultController<UIMessageChunk> | undefined
  const stream = new ReadableStream<UIMessageChunk>({
    start(started) {
      controller = started
    },
  })
  let pumped = 0

  /** As little as possible besides the chunk itself: what the pump costs, all variants pay. */
  function pump(chunks: readonly UIMessageChunk[]): Promise<void> {
    return new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel()
      let next = 0
      port1.addEventListener('message', () => {
        const chunk = chunks[next]
        next += 1
        if (!chunk) {
          port1.close()
          resolve()
          return
        }
        port2.postMessage(null)
        controller?.enqueue(chunk)
      })
      port1.start()
      port2.postMessage(null)
    })
  }

  return {
    transport: {
      sendMessages: () => Promise.resolve(stream),
      reconnectToStream: () => Promise.resolve(null),
    },
    begin: () =>
      pump([
        { type: 'start', messageId: 'answer' },
        { type: 'start-step' },
        { type: 'text-start', id: 'text' },
      ]),
    deltas(count) {
      const from = pumped
      pumped += count
      return pump(
        Array.from({ length: count }, (_, index) => ({
          type: 'text-delta',
          id: 'text',
          delta: deltaText(from + index),
        })),
      )
    },
    async finish() {
      await pump([
        { type: 'text-end', id: 'text' },
        { type: 'finish-step' },
        { type: 'finish', finishReason: 'stop' },
      ])
      controller?.close()
    },
  }
}
