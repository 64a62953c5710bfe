import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createLogger, createServer, preview, type Logger, type PreviewServer } from 'vite'
import type { BuiltPage } from './build-page.ts'

/** The playground as it is started by hand, on a free port of 127.0.0.1. */
export interface RunningPlayground {
  readonly url: string
  close(): Promise<void>
}

/** Which model the playground's server uses, by the environment variables that people set. */
export type ModelSettings = Partial<
  Record<
    | 'ASSENT_BASE_URL'
    | 'ASSENT_API_KEY'
    | 'ASSENT_MODEL'
    | 'ASSENT_DEMO_SPEED'
    | 'ASSENT_DATABASE'
    | 'ASSENT_DECIDERS'
    | 'TASK_RETRY_BASE_MS',
    string
  >
>

const CONFIG = join(import.meta.dirname, '../vite.config.ts')
/** A folder without `.env` files: a developer's own settings are not those of the tests. */
const NO_ENV_FILES = import.meta.dirname

/** Starts Vite's dev server with the playground's own configuration. */
export async function startPlayground(settings: ModelSettings): Promise<RunningPlayground> {
  const server = await withSettings(settings, () =>
    createServer({
      configFile: CONFIG,
      envDir: NO_ENV_FILES,
      customLogger: quietLogger(),
      server: { port: 0, hmr: false, watch: null },
    }),
  )
  await server.listen()
  return { url: addressOf(server.httpServer), close: () => server.close() }
}

/** Starts Vite's preview server on what was built, by default on a free port. */
export async function previewPlayground(
  { outDir }: BuiltPage,
  settings: ModelSettings,
  port = 0,
): Promise<RunningPlayground> {
  const server: PreviewServer = await withSettings(settings, () =>
    preview({
      configFile: CONFIG,
      envDir: NO_ENV_FILES,
      customLogger: quietLogger(),
      build: { outDir },
      preview: { port, strictPort: port !== 0 },
    }),
  )
  return { url: addressOf(server.httpServer), close: () => server.close() }
}

/** The server reads its settings when it is made; afterwards the environment is as it was. */
async function withSettings<RESULT>(
  settings: ModelSettings,
  run: () => Promise<RESULT>,
): Promise<RESULT> {
  const before = { ...process.env }
  for (const name of Object.keys(before)) if (name.startsWith('ASSENT_')) delete process.env[name]
  Object.assign(process.env, settings)
  try {
    return await run()
  } finally {
    for (const name of Object.keys(settings)) delete process.env[name]
    for (const [name, value] of Object.entries(before)) {
      if (name.startsWith('ASSENT_')) process.env[name] = value
    }
  }
}

/** What tests bring about on purpose (a model that fails) is no news on the console. */
function quietLogger(): Logger {
  return createLogger('silent')
}

function addressOf(server: unknown): string {
  const { port } = (server as Server).address() as AddressInfo
  return `http://127.0.0.1:${port}`
}
