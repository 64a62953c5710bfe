import { DatabaseError } from '@assent/engine/storage'
import { errorResponse, RequestError } from '@assent/node'
import type { MayDecideTask } from '../may-decide.ts'
import type { WorkerStores } from '../stores.ts'
import type { AdminRoute } from './admin-route.ts'
import { auditRoutes } from './audit-routes.ts'
import { changeStream } from './change-stream.ts'
import { erasureRoute } from './erasure-route.ts'
import { taskRoutes } from './task-routes.ts'

/**
 * Options of {@link createAdminHandler}: stores, those of `sqliteStores(database)` or of another backend, and
 * who may see them.
 */
export interface AdminHandlerOptions extends Pick<
  WorkerStores,
  'inbox' | 'audit' | 'changes' | 'erase'
> {
  /**
   * Who sent a request: a name for the audit. `undefined`, `null` and `false` refuse it (401); a
   * `RequestError` that it throws refuses it otherwise. It is required: whoever is let in reads all
   * that tools were called with, and decides in the place of people.
   */
  readonly authorize: (request: Request) => Authorized | PromiseLike<Authorized>
  /**
   * Who may decide about the calls of tasks, as for `createWorker`, which asks it again: here a decision
   * is refused at once (403, `may-not-decide`).
   */
  readonly mayDecide?: MayDecideTask
  /** Where it is mounted. Default `'/api/admin'`. */
  readonly path?: string
  /** What failed here, and is not the request's fault. Default: a warning of the process. */
  readonly onError?: (error: unknown) => void
}

type Authorized = string | undefined | null | false

/**
 * The audit and the tasks of stores as a JSON API, for pages and programs: a web-standard handler.
 *
 * - `GET audit/entries`, `audit/calls`, `audit/verification`, `audit/export` (lines of JSON)
 * - `POST erasure` with `{ conversationId, owner? }` or `{ user }`: erases what was said there, wherever it is kept
 * - `GET tasks`, `POST tasks`, `GET tasks/<id>`, `POST tasks/<id>/replay`, `…/discard`, `…/answer`
 * - `GET changes`: server-sent events, one soon after anything was written
 *
 * What is refused is `{ error: { code, message } }`. Posts are JSON, so that no other page can send
 * them.
 */
export function createAdminHandler({
  inbox,
  audit,
  changes,
  erase,
  authorize,
  mayDecide,
  path = '/api/admin',
  onError = warn,
}: AdminHandlerOptions): (request: Request) => Promise<Response> {
  const routes: readonly AdminRoute[] = [
    ...(audit ? auditRoutes(audit) : []),
    ...taskRoutes(inbox, audit, { mayDecide, report: onError }),
    erasureRoute(erase),
    {
      method: 'GET',
      path: ['changes'],
      answer: ({ request }) => changeStream(changes, request.signal),
    },
  ]
  const base = path.replace(/\/+$/, '')

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    const user = await authorize(request)
    if (typeof user !== 'string') throw new RequestError(401, 'unauthorized', 'Say who you are.')
    const parts = pathname.startsWith(`${base}/`) ? partsOf(pathname.slice(base.length + 1)) : []
    const found = routes.flatMap((route) => {
      const values = match(route.path, parts)
      return values ? [{ route, values }] : []
    })
    const fitting = found.find(({ route }) => route.method === request.method)
    if (fitting) return fitting.route.answer({ request, user, values: fitting.values })
    if (found.length === 0) {
      throw new RequestError(404, 'not-found', `There is nothing at ${pathname}.`)
    }
    const allow = found.map(({ route }) => route.method).join(', ')
    throw new RequestError(405, 'wrong-method', `${pathname} takes ${allow} only.`, { allow })
  }

  return async (request) => {
    try {
      const response = await answer(request)
      if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'no-store')
      return response
    } catch (error) {
      if (error instanceof RequestError) return errorResponse(error)
      if (error instanceof DatabaseError && error.code === 'invalid_argument') {
        return errorResponse(new RequestError(400, 'bad-query', error.message))
      }
      onError(error)
      return errorResponse(
        new RequestError(500, 'server-error', 'It failed; the server knows why.'),
      )
    }
  }
}

function partsOf(path: string): string[] {
  return path.split('/').map((part) => {
    try {
      return decodeURIComponent(part)
    } catch {
      return ''
    }
  })
}

function match(
  wanted: readonly string[],
  parts: readonly string[],
): ReadonlyMap<string, string> | undefined {
  if (wanted.length !== parts.length) return undefined
  const values = new Map<string, string>()
  for (const [index, name] of wanted.entries()) {
    const part = parts[index] ?? ''
    if (name.startsWith(':')) values.set(name.slice(1), part)
    else if (name !== part) return undefined
  }
  return values
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error))
}
