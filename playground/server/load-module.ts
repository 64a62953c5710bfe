import { createRunnableDevEnvironment, resolveConfig } from 'vite'

/** A module that was loaded from its sources. */
export interface LoadedModule<MODULE> {
  readonly module: MODULE
  /** Afterwards nothing more is loaded for it. */
  close(): Promise<void>
}

/** As for the page: the workspace's packages are read by their sources. */
const SOURCES = { noExternal: [/^@assent\//], conditions: ['node', '@assent/source'] }

/**
 * Loads a module of the server, and what it imports. Unlike Vite's `runnerImport`, which closes its
 * runner at once, it stays open for what the module imports later: a shell, when a command comes.
 */
export async function loadModule<MODULE>(file: string): Promise<LoadedModule<MODULE>> {
  const config = await resolveConfig(
    {
      configFile: false,
      envDir: false,
      cacheDir: process.cwd(),
      environments: {
        assent: {
          consumer: 'server',
          dev: { moduleRunnerTransform: true },
          resolve: { external: true, mainFields: [], ...SOURCES },
        },
      },
    },
    'serve',
  )
  const environment = createRunnableDevEnvironment('assent', config, {
    runnerOptions: { hmr: { logger: false } },
    hot: false,
  })
  await environment.init()
  try {
    const module: MODULE = await environment.runner.import(file)
    return { module, close: () => environment.close() }
  } catch (error) {
    await environment.close()
    throw error
  }
}
