import { join } from 'node:path'
import { loadEnv, runnerImport, type Logger, type Plugin } from 'vite'
import type { createMiddleware } from './middleware.ts'

const SERVER = join(import.meta.dirname, 'middleware.ts')
/** As for the page: the workspace's packages are read by their sources. */
const SOURCES = { noExternal: [/^@assent\//], conditions: ['@assent/source'] }

/**
 * Serves the playground's API from Vite's own server, in dev and in preview. `ASSENT_*` variables
 * are read from the environment and from `.env` files next to the config; the page never sees them.
 */
export function playgroundServer(): Plugin {
  let env: Record<string, string> = {}
  const middleware = async (logger: Logger) => {
    const { module } = await runnerImport<{ createMiddleware: typeof createMiddleware }>(SERVER, {
      configFile: false,
      environments: { inline: { resolve: SOURCES } },
    })
    try {
      return module.createMiddleware(env, logger)
    } catch (error) {
      // Vite prints the stack; to whoever set a variable wrong, only the message says something.
      if (error instanceof Error) error.stack = error.message
      throw error
    }
  }
  return {
    name: 'assent-playground-server',
    configResolved(config) {
      env = loadEnv(config.mode, config.envDir === false ? config.root : config.envDir, 'ASSENT_')
    },
    async configureServer({ middlewares, config }) {
      middlewares.use(await middleware(config.logger))
    },
    async configurePreviewServer({ middlewares, config }) {
      middlewares.use(await middleware(config.logger))
    },
  }
}
