import { createHash, timingSafeEqual } from 'node:crypto'
import type { Update } from 'grammy/types'

/** Telegram's own are far smaller. */
const MAX_BODY_BYTES = 1_000_000
const SECRET_HEADER = 'x-telegram-bot-api-secret-token'

/**
 * Takes what Telegram posts to a webhook.
 *
 * @param take keeps an update; what it throws makes Telegram post it again
 * @returns 200 once the update is kept, 401 without the secret, 400, 405 or 413 for what is no update
 */
export async function takeWebhook(
  request: Request,
  secretToken: string,
  take: (update: Update) => Promise<void>,
): Promise<Response> {
  if (!isSame(request.headers.get(SECRET_HEADER) ?? '', secretToken)) return answer(401)
  if (request.method !== 'POST') return answer(405)
  const body = await readBody(request)
  if (body === undefined) return answer(413)
  const update = readUpdate(body)
  if (!update) return answer(400)
  await take(update)
  return answer(200)
}

function answer(status: number): Response {
  return new Response(null, { status })
}

/** Takes as long whatever is different. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest())
  return a !== undefined && b !== undefined && timingSafeEqual(a, b)
}

async function readBody({ body }: Request): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > MAX_BODY_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function readUpdate(body: string): Update | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return isUpdate(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Only Telegram knows the secret: what it posts has its form. */
export function isUpdate(value: unknown): value is Update {
  return (
    typeof value === 'object' &&
    value !== null &&
    'update_id' in value &&
    Number.isSafeInteger(value.update_id)
  )
}
