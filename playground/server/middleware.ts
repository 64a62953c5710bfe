import { describeModelError, toNodeListener, type NodeListener } from '@assent/node'
import type { Logger } from 'vite'
import { createApi } from './api.ts'
import { chooseModel } from './model.ts'

/**
 * Serves the playground's API, and says which model it talks to.
 *
 * @param env the `ASSENT_*` variables
 * @throws Error that says which variable is missing or wrong
 */
export function createMiddleware(
  env: Readonly<Record<string, string>>,
  logger: Logger,
): NodeListener {
  const chosen = chooseModel(env)
  logger.info(`\n  Model: ${chosen.label}`)
  if (chosen.mode === 'demo') {
    logger.info('  For a real one, set ASSENT_BASE_URL, ASSENT_MODEL and ASSENT_API_KEY.')
  }
  const report = (error: unknown) => logger.error(`[chat] ${describeModelError(error)}`)
  return toNodeListener(createApi({ chosen, onError: report }), report)
}
