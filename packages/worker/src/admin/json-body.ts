import { RequestError } from '@assent/node'
import { z } from 'zod'

const MAX_BYTES = 1_000_000

/**
 * Reads the body of a request as JSON of a shape.
 *
 * @throws RequestError 415 for another type, 413 for more than 1 MB, 400 for anything else
 */
export async function readJsonBody<BODY>(request: Request, shape: z.ZodType<BODY>): Promise<BODY> {
  // A type that a form can send would let any web page post here without asking the browser.
  if (!/^application\/json\b/iu.test(request.headers.get('content-type') ?? '')) {
    throw new RequestError(415, 'not-json', 'Send the body as application/json.')
  }
  const { data, error } = shape.safeParse(parseJson(await readBytes(request)))
  if (error) throw new RequestError(400, 'bad-body', z.prettifyError(error))
  return data
}

async function readBytes(request: Request): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > MAX_BYTES) {
      throw new RequestError(413, 'too-large', `The body must be at most ${MAX_BYTES} bytes.`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new RequestError(400, 'bad-json', 'The body is not valid JSON.')
  }
}
