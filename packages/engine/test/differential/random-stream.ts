import type { FinishReason, UIMessageChunk } from 'ai'
import { CallModel } from './call-model.ts'
import { makeOne, type Option } from './option.ts'
import { CITATION, METADATA, PROVIDER_METADATA, VALUES } from './random-values.ts'
import type { Tape } from './tape.ts'

const IDS = ['1', '2', '__proto__']
const TEXTS = ['', 'a', 'word ', '\n\n', 'é', '\ud83d', '\ude00']
const FINISH_REASONS: readonly FinishReason[] = ['stop', 'length', 'tool-calls', 'interrupted']

/**
 * Makes random streams in which every chunk is valid where it stands. It knows only what that takes:
 * which texts are open and where each call stands.
 *
 * @param messageId the id of the message that the stream begins with
 * @returns the chunks in parts: after each part the message is read on by a new reducer, as after a
 * reload
 */
export function randomStream(tape: Tape, messageId: string): UIMessageChunk[][] {
  const stream = new RandomStream(tape, messageId)
  const parts: UIMessageChunk[][] = [[]]
  while (!tape.isAtEnd) {
    if (tape.once(40)) {
      stream.resume()
      parts.push([])
    } else {
      parts.at(-1)?.push(stream.next())
    }
  }
  return parts
}

class RandomStream {
  readonly #tape: Tape
  readonly #texts = new Set<string>()
  readonly #reasonings = new Set<string>()
  readonly #calls: CallModel
  #messageId: string

  constructor(tape: Tape, messageId: string) {
    this.#tape = tape
    this.#messageId = messageId
    this.#calls = new CallModel(tape)
  }

  resume(): void {
    this.#closeTexts()
    this.#calls.resume()
  }

  next(): UIMessageChunk {
    return makeOne(this.#tape, [
      ...this.#messageOptions(),
      ...this.#textOptions(),
      ...this.#contentOptions(),
      ...this.#calls.options(),
    ])
  }

  #messageOptions(): Option[] {
    const tape = this.#tape
    const metadata = () => (tape.once(8) ? {} : { messageMetadata: tape.pick(METADATA) })
    return [
      [1, () => ({ type: 'start', ...metadata() })],
      [1, () => (tape.once(8) ? this.#anotherMessage() : this.#sameMessage())],
      [1, () => ({ type: 'message-metadata', messageMetadata: tape.pick(METADATA) })],
      [1, () => ({ type: 'finish', finishReason: tape.pick(FINISH_REASONS), ...metadata() })],
      [1, () => ({ type: 'finish-step' })],
      [3, () => this.#startStep()],
      [1, () => (tape.once(3) ? this.#resetStep() : { type: 'abort', reason: 'stopped' })],
      [1, () => ({ type: 'error', errorText: 'no luck' })],
    ]
  }

  #startStep(): UIMessageChunk {
    this.#calls.startStep()
    return { type: 'start-step' }
  }

  #resetStep(): UIMessageChunk {
    this.#closeTexts()
    this.#calls.resetStep()
    return { type: 'reset-step' }
  }

  #anotherMessage(): UIMessageChunk {
    this.#closeTexts()
    this.#calls.clear()
    this.#messageId += '+'
    return this.#sameMessage()
  }

  #sameMessage(): UIMessageChunk {
    return { type: 'start', messageId: this.#messageId }
  }

  #closeTexts(): void {
    this.#texts.clear()
    this.#reasonings.clear()
  }

  #textOptions(): Option[] {
    const tape = this.#tape
    const extra = () => (tape.once(4) ? { providerMetadata: PROVIDER_METADATA } : {})
    const start = (open: Set<string>) => {
      const id = tape.pick(IDS)
      open.add(id)
      return { id, ...extra() }
    }
    const delta = (open: Set<string>) => ({
      id: tape.pick([...open]),
      delta: tape.pick(TEXTS),
      ...extra(),
    })
    const end = (open: Set<string>) => {
      const id = tape.pick([...open])
      open.delete(id)
      return { id, ...extra() }
    }
    const citations = () => (tape.once(3) ? { citations: [CITATION] } : {})
    const texts = this.#texts
    const reasonings = this.#reasonings
    const options: Option[] = [
      [2, () => ({ type: 'text-start', ...start(texts) })],
      [1, () => ({ type: 'reasoning-start', ...start(reasonings) })],
    ]
    if (texts.size > 0) {
      options.push([6, () => ({ type: 'text-delta', ...delta(texts) })])
      options.push([1, () => ({ type: 'text-end', ...end(texts), ...citations() })])
    }
    if (reasonings.size > 0) {
      options.push([3, () => ({ type: 'reasoning-delta', ...delta(reasonings) })])
      options.push([1, () => ({ type: 'reasoning-end', ...end(reasonings) })])
    }
    return options
  }

  #contentOptions(): Option[] {
    const tape = this.#tape
    const extra = () => (tape.once(2) ? { providerMetadata: PROVIDER_METADATA } : {})
    const mediaType = 'image/png'
    const url = 'data:image/png;base64,AA=='
    return [
      [1, () => ({ type: 'custom', kind: 'vendor.mark', ...extra() })],
      [
        1,
        () => ({
          type: tape.pick(['file', 'reasoning-file'] as const),
          mediaType,
          url,
          ...extra(),
        }),
      ],
      [1, () => this.#source()],
      [1, () => this.#steering()],
      [4, () => this.#data()],
    ]
  }

  #source(): UIMessageChunk {
    const title = this.#tape.once(2) ? { title: 'A page' } : {}
    return this.#tape.once(2)
      ? { type: 'source-url', sourceId: 's', url: 'https://example.test', ...title }
      : { type: 'source-document', sourceId: 's', mediaType: 'text/plain', title: 'A file' }
  }

  #steering(): UIMessageChunk {
    return { type: 'steering-message', id: 'u', parts: [{ type: 'text', text: 'rather this' }] }
  }

  #data(): UIMessageChunk {
    const tape = this.#tape
    return {
      type: tape.pick(['data-weather', 'data-weather-1', 'data-x'] as const),
      data: tape.pick(VALUES),
      ...(tape.once(3) ? {} : { id: tape.pick(['1', '2', '1:data-x', '__proto__']) }),
      ...(tape.once(4) ? { transient: tape.once(2) } : {}),
    }
  }
}
