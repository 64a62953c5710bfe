import type { UIMessageChunk } from 'ai'

/** A response that a test streams by hand, made by `ScriptedTransport.hold()`. */
export interface HeldStream {
  /**
   * Streams chunks, also before the request was made. Resolves when the reader took the last of
   * them, or will take none any more.
   */
  push(...chunks: UIMessageChunk[]): Promise<void>
  /** Answers the request without a chunk yet. Only needed with `unanswered`; pushing does it too. */
  respond(): void
  /** Ends the stream after what was pushed. */
  end(): void
  /** Fails the stream after what was pushed; the request itself if it is still unanswered. */
  fail(error: unknown): void
  /** Resolves when the reader cancelled the stream or the request was aborted. */
  readonly cancelled: Promise<void>
}

/** A held stream with the side that the transport holds. */
interface HeldAnswer {
  readonly held: HeldStream
  /** Resolves when the request may be answered; rejects when it is to fail. */
  readonly responded: Promise<void>
  readonly chunks: AsyncIterable<UIMessageChunk>
  /** The reader wants no more. */
  cancel(): void
}

type Item =
  | { type: 'chunk'; chunk: UIMessageChunk; taken: () => void }
  | { type: 'end' }
  | { type: 'fail'; error: unknown }

/** @param unanswered the request stays without a response until something is pushed */
export function createHeldStream(unanswered: boolean): HeldAnswer {
  const items: Item[] = []
  let closed = false
  let cancelled = false
  let wake = (): void => {}
  let respond = (): void => {}
  let reject = (_error: unknown): void => {}
  let markCancelled = (): void => {}
  const whenCancelled = new Promise<void>((resolve) => {
    markCancelled = resolve
  })
  const responded = new Promise<void>((resolveResponse, rejectResponse) => {
    respond = resolveResponse
    reject = rejectResponse
  })
  // A test may fail a stream that no request ever took.
  responded.catch(() => {})
  if (!unanswered) respond()

  const add = (item: Item): void => {
    if (closed) throw new Error('The held stream has ended; nothing can follow.')
    if (item.type !== 'chunk') closed = true
    items.push(item)
    wake()
  }

  const next = async (): Promise<IteratorResult<UIMessageChunk>> => {
    for (;;) {
      if (cancelled) return { done: true, value: undefined }
      const item = items[0]
      if (item === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        continue
      }
      if (item.type === 'end') return { done: true, value: undefined }
      if (item.type === 'fail') throw item.error
      items.shift()
      item.taken()
      return { done: false, value: item.chunk }
    }
  }

  const cancel = (): void => {
    cancelled = true
    markCancelled()
    for (const item of items.splice(0)) if (item.type === 'chunk') item.taken()
    wake()
  }

  const held: HeldStream = {
    push: async (...chunks) => {
      if (cancelled) return
      const all = chunks.map(
        (chunk) =>
          new Promise<void>((taken) => {
            add({ type: 'chunk', chunk, taken })
          }),
      )
      respond()
      await Promise.all(all)
    },
    respond,
    end: () => {
      add({ type: 'end' })
      respond()
    },
    fail: (error) => {
      add({ type: 'fail', error })
      reject(error)
    },
    cancelled: whenCancelled,
  }

  return {
    held,
    responded,
    cancel,
    chunks: {
      [Symbol.asyncIterator]: () => ({
        next,
        return: async () => {
          cancel()
          return { done: true, value: undefined }
        },
      }),
    },
  }
}
