import type { StopCause, WrittenStream } from './stream-store.ts'

/** The first piece of a log, and the longest, in bytes: each is as long as all before it together. */
const [FIRST_BYTES, MOST_BYTES] = [1_024, 32_768]

/**
 * The events of one stream, of which at most `maxBytes` are kept: the latest. They are kept in a few long
 * pieces: thousands of small buffers take several times their bytes.
 */
export class StreamLog implements WrittenStream {
  readonly requestId: string | undefined
  readonly #maxBytes: number
  readonly #pieceBytes: number
  /** All full, but for the last. */
  readonly #pieces: Uint8Array<ArrayBuffer>[] = []
  /** How much of the last is filled. */
  #filled = 0
  readonly #listeners = new Set<() => void>()
  /** Readers that wait for the next event, or the end. */
  readonly #waiting = new Set<() => void>()
  readonly #stop = new AbortController()
  /** The number of the first byte that is kept, and of the one that comes next. */
  #first = 0
  #end = 0
  #bytes = 0
  #isOpen = true
  #isForgotten = false
  #readers = 0

  constructor(maxBytes: number, requestId?: string) {
    this.#maxBytes = maxBytes
    // So that little is dropped at a time of one that is full.
    this.#pieceBytes = Math.max(1, Math.min(MOST_BYTES, Math.floor(maxBytes / 256)))
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

  stop(cause: StopCause): void {
    if (this.#isOpen) this.#stop.abort(cause)
  }

  append(event: Uint8Array<ArrayBuffer>): void {
    if (!this.#isOpen) return
    for (let taken = 0; taken < event.byteLength;) {
      const piece = this.#roomy()
      const part = event.subarray(taken, taken + piece.byteLength - this.#filled)
      piece.set(part, this.#filled)
      this.#filled += part.byteLength
      this.#end += part.byteLength
      taken += part.byteLength
    }
    this.#wake()
  }

  end(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    const last = this.#pieces.pop()
    if (last) {
      this.#pieces.push(last.slice(0, this.#filled))
      this.#bytes -= last.byteLength - this.#filled
    }
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
          const bytes = this.#take(reader.next)
          reader.next += bytes.byteLength
          if (bytes.byteLength > 0) controller.enqueue(bytes)
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

  /** The last piece, or a new one when that is full; for which the first make room. */
  #roomy(): Uint8Array<ArrayBuffer> {
    const last = this.#pieces.at(-1)
    if (last && this.#filled < last.byteLength) return last
    const size = Math.min(this.#pieceBytes, Math.max(FIRST_BYTES, this.#bytes))
    while (this.#bytes + size > this.#maxBytes) {
      const dropped = this.#pieces.shift()
      if (!dropped) break
      this.#bytes -= dropped.byteLength
      this.#first += dropped.byteLength
    }
    const piece = new Uint8Array(size)
    this.#pieces.push(piece)
    this.#bytes += size
    this.#filled = 0
    return piece
  }

  /** What is kept from a byte on, up to the end of its piece. */
  #take(from: number): Uint8Array<ArrayBuffer> {
    let start = this.#first
    for (const piece of this.#pieces) {
      const end = Math.min(start + piece.byteLength, this.#end)
      // A copy: whoever sends it may take its buffer over.
      if (from < end) return piece.slice(from - start, end - start)
      start += piece.byteLength
    }
    return new Uint8Array()
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
