import { loadEnv, type Logger, type Plugin } from 'vite'
import { createApi } from './api.ts'
import { errorText } from './error-text.ts'
import { chooseModel, type ChosenModel } from './model.ts'
import { type Middleware, toMiddleware } from './node-adapter.ts'

/**
 * Serves the playground's API from Vite's own server, in dev and in preview. `ASSENT_*` variables
 * are read from the environment and from `.env` files next to the config; the page never sees them.
 */
export function playgroundServer(): Plugin {
  let env: Record<string, string> = {}
  const middleware = (logger: Logger): Middleware => {
    const chosen = chosenModel(env)
    logger.info(`\n  Model: ${chosen.label}`)
    if (chosen.mode === 'demo') {
      logger.info('  For a real one, set ASSENT_BASE_URL, ASSENT_MODEL and ASSENT_API_KEY.')
    }
    const report = (error: unknown) => logger.error(`[chat] ${errorText(error)}`)
    return toMiddleware(createApi({ chosen, onError: report }), report)
  }
  return {
    name: 'assent-playground-server',
    configResolved(config) {
      env = loadEnv(config.mode, config.envDir === false ? config.root : config.envDir, 'ASSENT_')
    },
    configureServer({ middlewares, config }) {
      middlewares.use(middleware(config.logger))
    },
    configurePreviewServer({ middlewares, config }) {
      middlewares.use(middleware(config.logger))
    },
  }
}

function chosenModel(env: Record<string, string>): ChosenModel {
  try {
    return chooseModel(env)
  } catch (error) {
    // Vite prints the stack; to whoever set a variable wrong, only the message says something.
    if (error instanceof Error) error.stack = error.message
    throw error
  }
}
