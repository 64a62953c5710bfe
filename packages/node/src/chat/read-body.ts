import { createHash } from 'node:crypto'
import { createJsonScan } from './json-scan.ts'
import { RequestError } from './request-error.ts'

/** What the body of a request may cost. */
export interface BodyBounds {
  readonly maxBytes: number
  /** How long it may take to come, in milliseconds. */
  readonly timeoutMs: number
}

/** Deeper JSON is no conversation. */
const MAX_DEPTH = 64
/** Members and items: what takes long to parse. */
const MAX_VALUES = 40_000

/** A body of JSON, read. */
export interface ReadBody {
  readonly value: unknown
  /** The same for the same bytes. */
  readonly digest: string
}

/**
 * Reads the body of a request that has to be JSON, for a route of an app, too.
 *
 * @throws RequestError 415 for another type or a compressed one, 413 for one that is too large, 408 for one that
 *   does not come in time, 400 for one that breaks off, is nested too deep, or is no JSON
 */
export async function readJson(request: Request, bounds: BodyBounds): Promise<ReadBody> {
  assertJson(request.headers)
  const { text, digest } = await readText(request, bounds)
  try {
    return { value: JSON.parse(text), digest }
  } catch {
    throw new RequestError(400, 'bad-json', 'The body is not valid JSON.')
  }
}

function assertJson(headers: Headers): void {
  // A type that a form can send would let any web page post here without asking the browser.
  if (!/^application\/json[ \t]*(?:;[^,]*)?$/iu.test(headers.get('content-type') ?? '')) {
    throw new RequestError(415, 'not-json', 'Send the body as application/json.')
  }
  const encoding = headers.get('content-encoding') ?? 'identity'
  if (/^\s*identity\s*$/iu.test(encoding)) return
  // A small body could become a huge one.
  const message =
    'A compressed body is not taken here. Send it without "content-encoding", or unpack it in the server before the chat.'
  throw new RequestError(415, 'encoded', message, { 'accept-encoding': 'identity' })
}

async function readText(
  request: Request,
  { maxBytes, timeoutMs }: BodyBounds,
): Promise<{ text: string; digest: string }> {
  if (Number(request.headers.get('content-length')) > maxBytes) throw tooLarge(`${maxBytes} bytes`)
  const reader = request.body?.getReader()
  if (!reader) return { text: '', digest: '' }
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const message = `The body took more than ${timeoutMs} ms to come. Send it again.`
    late.reject(new RequestError(408, 'too-slow', message))
  }, timeoutMs)
  const decoder = new TextDecoder()
  const scan = createJsonScan({ maxDepth: MAX_DEPTH, maxValues: MAX_VALUES })
  const hash = createHash('sha256')
  let text = ''
  let bytes = 0
  try {
    for (;;) {
      const { done, value } = await Promise.race([read(reader), late.promise])
      if (done) return { text: text + decoder.decode(), digest: hash.digest('base64url') }
      bytes += value.byteLength
      if (bytes > maxBytes) throw tooLarge(`${maxBytes} bytes`)
      const broken = scan.take(value)
      if (broken === 'values') throw tooLarge(`${MAX_VALUES} values`)
      if (broken === 'depth') {
        const message = `The body must be nested at most ${MAX_DEPTH} deep.`
        throw new RequestError(400, 'bad-json', message)
      }
      hash.update(value)
      text += decoder.decode(value, { stream: true })
    }
  } catch (error) {
    void discard(reader, maxBytes - bytes).catch(() => undefined)
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** The next bytes. That they do not come is the connection's fault, never the server's. */
async function read(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
): Promise<ReadableStreamReadResult<Uint8Array<ArrayBuffer>>> {
  try {
    return await reader.read()
  } catch {
    throw new RequestError(400, 'bad-body', 'The body broke off before its end. Send it again.')
  }
}

/** Reads on, so that the refusal gets through the connection: one that is closed now loses it. */
async function discard(reader: ReadableStreamDefaultReader<Uint8Array>, most: number) {
  for (let left = most; left >= 0;) {
    const { done, value } = await reader.read()
    if (done) return
    left -= value.byteLength
  }
  await reader.cancel()
}

function tooLarge(most: string): RequestError {
  return new RequestError(413, 'too-large', `The body must be at most ${most}.`)
}
