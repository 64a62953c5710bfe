import { fieldText, readJson, RequestError } from '@assent/node'
import type { z } from 'zod'

const BOUNDS = { maxBytes: 1_000_000, timeoutMs: 30_000 }

/**
 * Reads the body of a request as JSON of a shape.
 *
 * @throws RequestError as `readJson` of `@assent/node` does, and 400 for JSON of another shape
 */
export async function readJsonBody<BODY>(request: Request, shape: z.ZodType<BODY>): Promise<BODY> {
  const { value } = await readJson(request, BOUNDS)
  const { data, error } = shape.safeParse(value)
  if (error) throw new RequestError(400, 'bad-body', fieldText('The body', error.issues[0]))
  return data
}
