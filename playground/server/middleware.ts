import { describeModelError, toNodeListener, type NodeListener } from '@assent/node'
import type { Logger } from 'vite'
import { createApi } from './api.ts'
import { openBackOffice } from './back-office.ts'
import { serveConversations, type UpgradingServer } from './conversation-socket.ts'
import { chooseModel } from './model.ts'

/** The playground's server, to be put into one of Vite's. */
export interface PlaygroundMiddleware {
  readonly listener: NodeListener
  /** Lets pages connect to their conversations. */
  attach(server: UpgradingServer): void
  close(): Promise<void>
}

/**
 * Serves the playground's API, and says which model it talks to.
 *
 * @param env the `ASSENT_*` variables, and those of the worker
 * @throws Error that says which variable is missing or wrong
 */
export function createMiddleware(
  env: Readonly<Record<string, string>>,
  logger: Logger,
): PlaygroundMiddleware {
  const chosen = chooseModel(env)
  logger.info(`\n  Model: ${chosen.label}`)
  if (chosen.mode === 'demo') {
    logger.info('  For a real one, set ASSENT_BASE_URL, ASSENT_MODEL and ASSENT_API_KEY.')
  }
  const report = (error: unknown) => logger.error(`[server] ${describeModelError(error)}`)
  const office = openBackOffice({ model: chosen.model, env, onError: report })
  const detach: (() => void)[] = []
  return {
    listener: toNodeListener(createApi({ chosen, office, onError: report }), report),
    attach(server) {
      detach.push(serveConversations(server, { conversations: office.conversations }))
    },
    async close() {
      for (const end of detach) end()
      await office.close()
    },
  }
}
