import type { StopCause, WrittenStream } from '@assent/node'
import { EventLog } from './event-log.ts'
import type { EventRow, StreamRow } from './stream-rows.ts'

/** What a stream asks of the store that it belongs to. */
export interface StreamHost {
  /** Somebody here reads or watches it, or nobody does any more. */
  onUse(stream: DatabaseStream): void
  /** Something is to be written, or it has ended. */
  onWritten(stream: DatabaseStream): void
  stop(id: number, cause: StopCause): Promise<void>
}

/** A stream as it was begun, or found. */
export type FoundStream = Pick<StreamRow, 'id' | 'requestId' | 'isOpen' | 'isDropped' | 'readers'>

/** A stream as this process knows it: one that it writes, or one that another process does. */
export class DatabaseStream implements WrittenStream {
  readonly id: number
  readonly requestId: string | undefined
  /** Whether this process writes it. */
  readonly isOwn: boolean
  readonly #host: StreamHost
  readonly #log: EventLog
  readonly #listeners = new Set<() => void>()
  readonly #stop = new AbortController()
  #isOpen: boolean
  /** All of it is here that will ever be. */
  #isSettled = false
  #isDropped: boolean
  #readersElsewhere = 0
  /** The number of the last part that was written, or read, here. */
  #place = 0
  /** What is to be written next. */
  #pending: Uint8Array<ArrayBuffer>[] = []
  /** Parts were missing when it was looked at last. */
  #isMissing = false

  constructor(
    host: StreamHost,
    { id, requestId, isOpen, isDropped, readers }: FoundStream,
    { isOwn, maxBytes }: { readonly isOwn: boolean; readonly maxBytes: number },
  ) {
    this.id = id
    this.requestId = requestId
    this.isOwn = isOwn
    this.#host = host
    this.#isOpen = isOpen
    this.#isDropped = isDropped
    this.#readersElsewhere = readers
    this.#log = new EventLog(maxBytes, () => {
      host.onUse(this)
      this.#changed()
    })
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  get isDropped(): boolean {
    return this.#isDropped || this.#log.isCut
  }

  get readers(): number {
    return this.#log.readers + this.#readersElsewhere
  }

  get stopped(): AbortSignal {
    return this.#stop.signal
  }

  /** Whether somebody in this process reads it. */
  get isReadHere(): boolean {
    return this.#log.readers > 0
  }

  /** Whether somebody in this process wants to know how it goes on elsewhere. */
  get isFollowed(): boolean {
    return !this.isOwn && !this.#isSettled && (this.isReadHere || this.#listeners.size > 0)
  }

  get place(): number {
    return this.#place
  }

  get bytes(): number {
    return this.#log.bytes
  }

  stop(cause: StopCause): Promise<void> | void {
    if (!this.#isOpen) return
    if (!this.isOwn) return this.#host.stop(this.id, cause)
    this.#stop.abort(cause)
  }

  append(event: Uint8Array<ArrayBuffer>): void {
    if (!this.#isOpen) return
    this.#log.append(event)
    this.#pending.push(event)
    this.#host.onWritten(this)
  }

  end(): void {
    if (!this.#isOpen) return
    this.#settle()
    this.#host.onWritten(this)
  }

  read(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return this.#log.read()
  }

  onChange(listener: () => void): () => void {
    const own = (): void => listener()
    this.#listeners.add(own)
    this.#host.onUse(this)
    return () => {
      if (this.#listeners.delete(own)) this.#host.onUse(this)
    }
  }

  /** The next part to write, all that came since the last one; `undefined` when nothing did. */
  takePart(): EventRow | undefined {
    if (this.#pending.length === 0) return undefined
    const data = Buffer.concat(this.#pending)
    this.#pending = []
    return { id: this.id, seq: ++this.#place, data }
  }

  /** It is another's now, or nobody's: what is still to come is not written any more. */
  lose(): void {
    this.#stop.abort('left' satisfies StopCause)
    this.#pending = []
    this.#isDropped = true
    this.#settle()
    this.#host.onWritten(this)
  }

  /** Adds what another process has written; one that is missing will never come. */
  follow(parts: readonly EventRow[]): void {
    for (const { seq, data } of parts) {
      if (this.#isSettled || seq <= this.#place) continue
      if (seq > this.#place + 1) return this.fail('A part of the answer was lost.')
      this.#place = seq
      this.#isMissing = false
      this.#log.append(new Uint8Array(data))
    }
  }

  /**
   * Takes note of what the database says.
   *
   * @returns whether it has to be looked at again
   */
  learn(row: StreamRow | undefined): boolean {
    if (row && row.readers !== this.#readersElsewhere) {
      this.#readersElsewhere = row.readers
      this.#changed()
    }
    if (this.isOwn) {
      if (!this.#isOpen) return false
      if (row?.stop) this.#stop.abort(row.stop)
      if (!row?.isOpen) this.lose()
      return false
    }
    if (this.#isSettled) return false
    if (!row || (!row.isOpen && !row.isWhole)) {
      this.fail('The answer was cut off: the process that made it is gone.')
      return false
    }
    if (this.#isOpen && !row.isOpen) {
      this.#isOpen = false
      this.#changed()
    }
    if (row.lastSeq > this.#place) {
      // It may have come while this was read. What is still not there then was lost with the database.
      if (this.#isMissing) this.fail('A part of the answer was lost.')
      this.#isMissing = true
      return !this.#isSettled
    }
    if (row.isWhole) this.#settle()
    return row.isLapsed
  }

  /** It ends without having come to its end. */
  fail(why: string): void {
    if (this.#isSettled) return
    this.#isDropped = true
    this.#settle(new Error(why))
  }

  #settle(error?: Error): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#isOpen = false
    this.#log.end(error)
    this.#changed()
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }
}
