import type { BackOffice } from './back-office.ts'
import { createBackups } from './backups.ts'
import { createChat } from './chat.ts'
import { EXAMPLE_REQUESTS } from './demo/answer.ts'
import type { ChosenModel } from './model.ts'
import { createOutbox } from './outbox.ts'
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
  /** What is kept; without it there is no audit, no worker and no folder to work in. */
  office?: BackOffice
  onError?: (error: unknown) => void
}

/**
 * The playground's server: the chat under `/api/chat`, `GET /api/info`, `GET /api/outbox`,
 * `GET /api/backups`, and the audit and the tasks under `/api/admin`.
 *
 * @returns a function that answers requests under `/api/`, and `undefined` for any other
 */
export function createApi({
  chosen,
  world = createWorld(),
  office,
  onError,
}: ApiOptions): (request: Request) => Promise<Response | undefined> {
  const chat = createChat({
    model: chosen.model,
    world,
    ...(office && { office }),
    ...(onError && { onError }),
  })
  const info: PlaygroundInfo = {
    model: chosen.label,
    mode: chosen.mode,
    examples: EXAMPLE_REQUESTS,
  }
  const routes = new Map<string, () => Response>([
    ['/api/info', () => Response.json(info)],
    ['/api/outbox', () => Response.json({ reports: world.outbox.list() })],
    ['/api/backups', () => Response.json({ backups: world.backups.list() })],
  ])
  return async (request) => {
    const { pathname } = new URL(request.url)
    if (!pathname.startsWith('/api/')) return undefined
    if (/^\/api\/chat(\/|$)/.test(pathname)) return chat(request)
    if (office && pathname.startsWith('/api/admin/')) return office.admin(request)
    const answer = routes.get(pathname)
    if (!answer) return refusal(404, 'not-found', `There is nothing at ${pathname}.`)
    if (request.method === 'GET') return answer()
    return refusal(405, 'wrong-method', `${pathname} takes GET only.`, { allow: 'GET' })
  }
}

function refusal(
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return Response.json({ error: { code, message } }, { status, headers })
}

function createWorld(): ServerWorld {
  return { outbox: createOutbox(), backups: createBackups(), now: () => new Date() }
}
