import type { WrittenStream } from './stream-store.ts'

/** How much of a long log a reader is given at once, in bytes. */
const READ_BYTES = 65_536

/** The events of one stream, of which at most `maxBytes` are kept: the latest. */
export class StreamLog implements WrittenStream {
  readonly requestId: string | undefined
  readonly #maxBytes: number
  readonly #events: Uint8Array<ArrayBuffer>[] = []
  readonly #listeners = new Set<() => void>()
  /** Readers that wait for the next event, or the end. */
  readonly #waiting = new Set<() => void>()
  readonly #stop = new AbortController()
  /** The number of the first event that is kept. */
  #first = 0
  #bytes = 0
  #isOpen = true
  #isForgotten = false
  #readers = 0

  constructor(maxBytes: number, requestId?: string) {
    this.#maxBytes = maxBytes
    this.requestId = requestId
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  get isDropped(): boolean {
    return this.#isForgotten || this.#first > 0
  }

  get readers(): number {
    return this.#readers
  }

  /** What it takes of memory, in bytes. */
  get bytes(): number {
    return this.#bytes
  }

  get stopped(): AbortSignal {
    return this.#stop.signal
  }

  stop(): void {
    if (this.#isOpen) {
      this.#stop.abort(new DOMException('The answer was stopped.', 'AbortError'))
    }
  }

  append(event: Uint8Array<ArrayBuffer>): void {
    if (!this.#isOpen) return
    this.#events.push(event)
    this.#bytes += event.byteLength
    let dropped = 0
    while (this.#bytes > this.#maxBytes && dropped < this.#events.length) {
      this.#bytes -= this.#events[dropped++]?.byteLength ?? 0
    }
    this.#first += dropped
    this.#events.splice(0, dropped)
    this.#wake()
  }

  end(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#wake()
    this.#changed()
  }

  /** It is no longer kept: nobody begins to read it any more; who reads it already reads on. */
  forget(): void {
    this.#isForgotten = true
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  read(): ReadableStream<Uint8Array<ArrayBuffer>> {
    const reader = { next: 0, isHere: true, wake: () => {} }
    this.#readers++
    this.#changed()
    const leave = () => {
      if (!reader.isHere) return
      reader.isHere = false
      this.#readers--
      this.#changed()
    }
    return new ReadableStream(
      {
        pull: async (controller) => {
          while (reader.isHere && this.#isOpen && reader.next >= this.#end) {
            await new Promise<void>((resolve) => {
              reader.wake = resolve
              this.#waiting.add(resolve)
            })
          }
          if (!reader.isHere) return
          if (reader.next < this.#first) {
            leave()
            throw new Error('The stream was read too slowly: its next part is no longer kept.')
          }
          const { bytes, count } = this.#take(reader.next - this.#first)
          reader.next += count
          if (count > 0) controller.enqueue(bytes)
          if (!this.#isOpen && reader.next >= this.#end) {
            leave()
            controller.close()
          }
        },
        cancel: () => {
          leave()
          this.#waiting.delete(reader.wake)
          reader.wake()
        },
      },
      { highWaterMark: 0 },
    )
  }

  /** The number of the event after the last. */
  get #end(): number {
    return this.#first + this.#events.length
  }

  /** The events from one on, as many as are fit to be sent at once. */
  #take(from: number): { bytes: Uint8Array<ArrayBuffer>; count: number } {
    const taken: Uint8Array<ArrayBuffer>[] = []
    let size = 0
    for (let index = from; index < this.#events.length && size < READ_BYTES; index++) {
      const event = this.#events[index]
      if (event === undefined) break
      taken.push(event)
      size += event.byteLength
    }
    const [only] = taken
    return {
      bytes: taken.length === 1 && only ? only : new Uint8Array(Buffer.concat(taken)),
      count: taken.length,
    }
  }

  #wake(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const wake of waiting) wake()
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }
}
