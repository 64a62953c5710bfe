/** How much of a long log a reader is given at once, in bytes. */
const READ_BYTES = 65_536

/** The events of one stream as this process has them: the latest `maxBytes`, for any number of readers. */
export class EventLog {
  readonly #maxBytes: number
  readonly #events: Uint8Array<ArrayBuffer>[] = []
  /** Readers that wait for the next event, or the end. */
  readonly #waiting = new Set<() => void>()
  readonly #onReaders: () => void
  /** The number of the first event that is kept. */
  #first = 0
  #bytes = 0
  #readers = 0
  #end: { readonly error?: Error } | undefined

  /** @param onReaders called when there are more readers, or fewer */
  constructor(maxBytes: number, onReaders: () => void) {
    this.#maxBytes = maxBytes
    this.#onReaders = onReaders
  }

  get readers(): number {
    return this.#readers
  }

  /** What it takes of memory. */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether its beginning is no longer kept. */
  get isCut(): boolean {
    return this.#first > 0
  }

  append(event: Uint8Array<ArrayBuffer>): void {
    this.#events.push(event)
    this.#bytes += event.byteLength
    while (this.#bytes > this.#maxBytes) {
      const dropped = this.#events.shift()
      if (!dropped) break
      this.#bytes -= dropped.byteLength
      this.#first++
    }
    this.#wake()
  }

  /** @param error fails those who read it, once they have read what is there */
  end(error?: Error): void {
    this.#end ??= error ? { error } : {}
    this.#wake()
  }

  read(): ReadableStream<Uint8Array<ArrayBuffer>> {
    const reader = { next: 0, isHere: true, wake: () => {} }
    this.#readers++
    this.#onReaders()
    const leave = (): void => {
      if (!reader.isHere) return
      reader.isHere = false
      this.#readers--
      this.#onReaders()
    }
    return new ReadableStream(
      {
        pull: async (controller) => {
          while (reader.isHere && !this.#end && reader.next >= this.#size) {
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
          if (reader.next < this.#size) {
            const { bytes, count } = this.#take(reader.next - this.#first)
            reader.next += count
            controller.enqueue(bytes)
          }
          if (!this.#end || reader.next < this.#size) return
          leave()
          if (this.#end.error) throw this.#end.error
          controller.close()
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
  get #size(): number {
    return this.#first + this.#events.length
  }

  /** The events from one on, as many as are fit to be sent at once. */
  #take(from: number): { bytes: Uint8Array<ArrayBuffer>; count: number } {
    const taken: Uint8Array<ArrayBuffer>[] = []
    let size = 0
    for (const event of this.#events.slice(from)) {
      taken.push(event)
      size += event.byteLength
      if (size >= READ_BYTES) break
    }
    return { bytes: new Uint8Array(Buffer.concat(taken)), count: taken.length }
  }

  #wake(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const wake of waiting) wake()
  }
}
