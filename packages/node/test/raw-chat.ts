import type { UIMessage } from 'ai'
import { onTestFinished } from 'vitest'

/** A chat as plain HTTP sees it. */
export interface RawChat {
  post(messages: UIMessage[], more?: PostOptions): Promise<Response>
  /** Takes the stream of a conversation up. */
  resume(id?: string, about?: AboutAnswer): Promise<Response>
  stop(id?: string, about?: AboutAnswer): Promise<Response>
}

/** Which answer is meant, and what goes along. */
export interface AboutAnswer {
  requestId?: string
  headers?: Record<string, string>
}

/** What a request has beside its messages. */
export interface PostOptions {
  id?: string | undefined
  headers?: Record<string, string>
  body?: object
  signal?: AbortSignal
}

/** @param api where the chat is */
export function rawChat(api: string): RawChat {
  const streamUrl = (id: string, requestId?: string) => {
    const query = requestId === undefined ? '' : `?requestId=${encodeURIComponent(requestId)}`
    return `${api}/${encodeURIComponent(id)}/stream${query}`
  }
  return {
    post: (messages, { id = 'chat', headers, body, signal } = {}) =>
      fetch(api, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ id, messages, ...body }),
        ...(signal && { signal }),
      }),
    resume: (id = 'chat', { requestId, headers = {} } = {}) =>
      fetch(streamUrl(id, requestId), { headers }),
    stop: (id = 'chat', { requestId, headers = {} } = {}) =>
      fetch(streamUrl(id, requestId), { method: 'DELETE', headers }),
  }
}

/** What a person says, as a message. */
export function userMessage(text: string): UIMessage {
  return { id: `u-${text}`, role: 'user', parts: [{ type: 'text', text }] }
}

/** The bytes of an event stream, as they come. */
export interface EventReader {
  /** All events so far, comments left out. */
  readonly text: string
  /** Reads on until the events hold this text. */
  until(text: string): Promise<void>
  /** Reads on to the end, and gives all events. */
  rest(): Promise<string>
  /** Goes away. */
  leave(): Promise<void>
}

export function readEvents({ body }: Response): EventReader {
  if (!body) throw new Error('The response has no body.')
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let raw = ''
  const events = () => raw.replaceAll(/^:.*\n\n/gm, '')
  const read = async () => {
    const { done, value } = await reader.read()
    raw += value ?? ''
    return !done
  }
  const leave = () => reader.cancel().catch(() => undefined)
  onTestFinished(leave)
  return {
    get text() {
      return events()
    },
    async until(text) {
      while (!events().includes(text)) {
        if (!(await read())) throw new Error(`The stream ended without "${text}": ${raw}`)
      }
    },
    async rest() {
      while (await read());
      return events()
    },
    leave,
  }
}
