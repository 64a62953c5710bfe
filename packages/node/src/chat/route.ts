import { RequestError } from './request-error.ts'

/** What a request asks of a chat handler. */
export type ChatRoute =
  | { readonly action: 'send' }
  | {
      readonly action: 'resume' | 'stop'
      readonly chatId: string
      /** Names the request whose answer is meant. */
      readonly requestId: string | undefined
    }

/**
 * Which request this is: `POST <path>`, `GET <path>/<chatId>/stream`, `DELETE <path>/<chatId>/stream`.
 *
 * @throws RequestError 404 for any other address, 405 for any other method
 */
export function readRoute({ method, url }: Request, path: string): ChatRoute {
  const { pathname, searchParams } = new URL(url)
  const base = path.replace(/\/+$/, '')
  const place = pathname.replace(/\/+$/, '')
  if (place === base) {
    if (method === 'POST') return { action: 'send' }
    throw wrongMethod(pathname, 'POST')
  }
  const [id, name, ...more] = place.startsWith(`${base}/`)
    ? place.slice(base.length + 1).split('/')
    : []
  const chatId = id === undefined ? undefined : decode(id)
  if (!chatId || name !== 'stream' || more.length > 0) {
    throw new RequestError(
      404,
      'not-found',
      `There is nothing at ${pathname}. The chat is at ${path} (the option "path").`,
    )
  }
  const requestId = searchParams.get('requestId') ?? undefined
  if (method === 'GET') return { action: 'resume', chatId, requestId }
  if (method === 'DELETE') return { action: 'stop', chatId, requestId }
  throw wrongMethod(pathname, 'GET, DELETE')
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}

function wrongMethod(pathname: string, allow: string): RequestError {
  return new RequestError(405, 'wrong-method', `${pathname} takes ${allow} only.`, { allow })
}
