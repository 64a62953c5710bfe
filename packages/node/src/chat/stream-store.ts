/** A value or a promise of it. */
type Awaitable<T> = T | PromiseLike<T>

/**
 * Why an answer stops: somebody asked for it, or its page has left it for something else. Tools that run
 * are aborted by the first, and go on to their end after the second.
 */
export type StopCause = 'asked' | 'left'

/** The stream of one answer, as it is kept for whoever reads it. */
export interface KeptStream {
  /** What names the request that it answers, if anything does. */
  readonly requestId: string | undefined
  /** Whether more may come. */
  readonly isOpen: boolean
  /** Whether its beginning is no longer kept, so that nobody can begin to read it. */
  readonly isDropped: boolean
  /** How many read it now. */
  readonly readers: number
  /**
   * All of it from its beginning: the events that have come, and those that will. It fails when the
   * reader was so slow that the next event is no longer kept. To be called while it is not dropped.
   */
  read(): ReadableStream<Uint8Array<ArrayBuffer>>
  /** Asks whoever writes it to stop, in whichever process that is. */
  stop(cause: StopCause): Awaitable<void>
  /** Calls the listener when `isOpen` or `readers` has changed; returns how to stop that. */
  onChange(listener: () => void): () => void
}

/** A stream for the one who writes it. */
export interface WrittenStream extends KeptStream {
  /** Aborts when it is to stop; the reason is the cause, a `StopCause`. */
  readonly stopped: AbortSignal
  /** Adds events; it never waits for readers. Nothing is added once it has ended. */
  append(event: Uint8Array<ArrayBuffer>): void
  /** No more will come. */
  end(): void
}

/** Keeps the streams of answers, the latest of each conversation. */
export interface StreamStore {
  /**
   * Begins a stream, and forgets the one before it; `undefined` when that one is open still. Of two
   * that begin one at the same time, one does.
   */
  open(key: string, requestId?: string): Awaitable<WrittenStream | undefined>
  /** The latest stream of a conversation, if any is kept or is known to have been dropped. */
  find(key: string): Awaitable<KeptStream | undefined>
}
