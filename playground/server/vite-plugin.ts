import { join } from 'node:path'
import { loadEnv, type Plugin, type PreviewServer, type ViteDevServer as DevServer } from 'vite'
import { loadModule } from './load-module.ts'
import type { createMiddleware } from './middleware.ts'

const SERVER = join(import.meta.dirname, 'middleware.ts')

/**
 * Serves the playground's API from Vite's own server, in dev and in preview. `ASSENT_*` variables
 * are read from the environment and from `.env` files next to the config; the page never sees them.
 */
export function playgroundServer(): Plugin {
  let env: Record<string, string> = {}
  const open = async ({ middlewares, httpServer, config }: DevServer | PreviewServer) => {
    const server = await loadModule<{ createMiddleware: typeof createMiddleware }>(SERVER)
    try {
      const { listener, attach, close } = server.module.createMiddleware(env, config.logger)
      middlewares.use(listener)
      if (!httpServer) return
      attach(httpServer)
      httpServer.once('close', () => void close().finally(server.close))
    } catch (error) {
      await server.close()
      // Vite prints the stack; to whoever set a variable wrong, only the message says something.
      if (error instanceof Error) error.stack = error.message
      throw error
    }
  }
  return {
    name: 'assent-playground-server',
    configResolved({ mode, root, envDir }) {
      env = loadEnv(mode, envDir === false ? root : envDir, ['ASSENT_', 'TASK_', 'TOOL_'])
    },
    configureServer: open,
    configurePreviewServer: open,
  }
}
