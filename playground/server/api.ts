import { createBackups } from './backups.ts'
import { createChatHandler } from './chat.ts'
import { EXAMPLE_REQUESTS } from './demo/answer.ts'
import type { ChosenModel } from './model.ts'
import { createOutbox } from './outbox.ts'
import { errorResponse } from './request-error.ts'
import type { ServerWorld } from './server-tools.ts'

/** Body of `GET /api/info`. */
export interface PlaygroundInfo {
  /** What the model is, for people. */
  model: string
  mode: 'demo' | 'endpoint'
  /** Requests to suggest; the demo model understands each of them. */
  examples: readonly string[]
}

/** Options of {@link createApi}. */
export interface ApiOptions {
  chosen: ChosenModel
  /** Default: an empty outbox and a few backups, in memory. */
  world?: ServerWorld
  onError?: (error: unknown) => void
}

/**
 * The playground's server: `POST /api/chat`, `GET /api/info`, `GET /api/outbox`,
 * `GET /api/backups`.
 *
 * @returns a function that answers requests under `/api/`, and `undefined` for any other
 */
export function createApi({
  chosen,
  world = createWorld(),
  onError,
}: ApiOptions): (request: Request) => Promise<Response | undefined> {
  const chat = createChatHandler({ model: chosen.model, world, ...(onError && { onError }) })
  const info: PlaygroundInfo = {
    model: chosen.label,
    mode: chosen.mode,
    examples: EXAMPLE_REQUESTS,
  }
  const routes = new Map<string, Route>([
    ['/api/chat', { method: 'POST', answer: chat }],
    ['/api/info', { method: 'GET', answer: () => Response.json(info) }],
    [
      '/api/outbox',
      { method: 'GET', answer: () => Response.json({ reports: world.outbox.list() }) },
    ],
    [
      '/api/backups',
      { method: 'GET', answer: () => Response.json({ backups: world.backups.list() }) },
    ],
  ])
  return async (request) => {
    const { pathname } = new URL(request.url)
    if (!pathname.startsWith('/api/')) return undefined
    const route = routes.get(pathname)
    if (!route) return errorResponse(404, 'not-found', `There is nothing at ${pathname}.`)
    if (request.method !== route.method) {
      return errorResponse(405, 'wrong-method', `${pathname} takes ${route.method} only.`, {
        allow: route.method,
      })
    }
    return route.answer(request)
  }
}

interface Route {
  readonly method: 'GET' | 'POST'
  readonly answer: (request: Request) => Response | Promise<Response>
}

function createWorld(): ServerWorld {
  return { outbox: createOutbox(), backups: createBackups(), now: () => new Date() }
}
