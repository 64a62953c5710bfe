import { isAbsolute, resolve } from 'node:path'
import vue from '@vitejs/plugin-vue'
import { playwright } from '@vitest/browser-playwright'
import type { UserConfig } from 'vite'
import { defineConfig } from 'vitest/config'
import {
  takeRequests,
  unwatchNetwork,
  watchNetwork,
} from './packages/components/test/network-commands.ts'
import { cachedModules } from './scripts/cached-modules.ts'
import { CHROMIUM_ARGS, findChromium } from './scripts/chromium.ts'

/** Vite resolves workspace packages to their sources by this export condition: no build is needed. */
export const SOURCE_CONDITIONS = ['@assent/source', 'module', 'browser', 'development|production']

/**
 * The build every published package shares: ESM, nothing of other packages in it. A stylesheet is an entry
 * of its own.
 *
 * @param dir absolute path of the package
 * @param entries entry name (as in `exports`) to source file, relative to the package
 * @param isApart one output file per source file: of what is imported by a page in parts, and of what starts
 *   threads by their files. Else all that the root entry is made of is one file, in the order of its imports,
 *   because Node spends more time on finding a file than on reading it.
 */
export function libraryBuild(
  dir: string,
  entries: Record<string, string>,
  isApart = false,
): UserConfig {
  return {
    root: dir,
    plugins: [vue()],
    build: {
      target: 'es2022',
      minify: false,
      sourcemap: true,
      cssCodeSplit: true,
      lib: {
        entry: Object.fromEntries(
          Object.entries(entries).map(([entry, file]) => [entry, resolve(dir, file)]),
        ),
        formats: ['es'],
      },
      rolldownOptions: {
        external: (id) => !id.startsWith('.') && !id.startsWith('\0') && !isAbsolute(id),
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name].js',
          // Docstrings are in the types.
          comments: { legal: true, annotation: true, jsdoc: false },
          ...(isApart
            ? { preserveModules: true, preserveModulesRoot: resolve(dir, 'src') }
            : { codeSplitting: { groups: [{ name: partOfRoot(resolve(dir, 'src/index.ts')) }] } }),
        },
      },
    },
  }
}

/** Names the file `root` for all modules that an entry loads at once. */
function partOfRoot(entry: string): (id: string, graph: ModuleGraph) => string | null {
  const loaded = new Set<string>()
  return (id, graph) => {
    if (loaded.size === 0) load(entry, graph)
    return loaded.has(id) ? 'root' : null
  }

  function load(id: string, graph: ModuleGraph): void {
    if (loaded.has(id)) return
    loaded.add(id)
    for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) load(imported, graph)
  }
}

interface ModuleGraph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null
}

/** Tests of the engine that need what only a browser has. */
const BROWSER_TESTS = 'packages/engine/src/**/*.browser.test.ts'
/** Tests of the components' parts that run where apps are built. */
const BUILD_TESTS = 'packages/components/src/nuxt/*.test.ts'

/**
 * Random plays are the same ones in every run, so that a red one is the doing of a change;
 * `ASSENT_SEED=random` looks for others, and a number plays those again.
 */
const { ASSENT_SEED = '20261121' } = process.env
const SEED = ASSENT_SEED === 'random' ? Date.now() % 2 ** 31 : Number(ASSENT_SEED)
if (!Number.isInteger(SEED)) throw new Error('ASSENT_SEED must be a whole number, or "random".')
if (ASSENT_SEED === 'random') process.stderr.write(`Random plays begin with ASSENT_SEED=${SEED}.\n`)
const seeded = {
  provide: { seed: SEED, ASSENT_DEEP: process.env['ASSENT_DEEP'] === '1' },
  setupFiles: [resolve(import.meta.dirname, 'scripts/property-seed.ts')],
}

/** What no project takes: other people's tests, and files that are left to another run. */
const exclude = [
  '**/node_modules/**',
  ...(process.env['ASSENT_LEAVE_OUT'] ?? '').split(',').filter(Boolean),
]

/** A browser on a busy machine is late now and then: there a test has a second chance, which is shown. */
const retry = process.env['CI'] ? 1 : 0
/** How long what is waited for may take to come, in milliseconds: the default is a second. */
const patience = { poll: { timeout: 10_000 } }
/** How long a test may take, in milliseconds, where the default of 5 s is too short for that. */
const testTimeout = 60_000

/*
 * `isolate: false` in the projects below: one worker for many files, since to start one for each costs
 * more than most of them take.
 */

const resolveSource = { conditions: SOURCE_CONDITIONS }
const ssrSource = {
  resolve: { conditions: ['@assent/source', 'module', 'node', 'development|production'] },
}

export default defineConfig({
  test: {
    projects: [
      {
        resolve: resolveSource,
        ssr: ssrSource,
        test: {
          ...seeded,
          name: 'engine',
          testTimeout,
          environment: 'node',
          isolate: false,
          include: ['packages/engine/{src,test}/**/*.test.ts', 'scripts/**/*.test.ts', BUILD_TESTS],
          exclude: [BROWSER_TESTS, ...exclude],
        },
      },
      {
        plugins: [vue()],
        resolve: resolveSource,
        ssr: ssrSource,
        test: {
          name: 'vue',
          testTimeout,
          environment: 'happy-dom',
          isolate: false,
          include: ['packages/vue/{src,test}/**/*.test.ts'],
          exclude,
        },
      },
      {
        resolve: resolveSource,
        ssr: ssrSource,
        test: {
          ...seeded,
          name: 'node',
          testTimeout,
          environment: 'node',
          isolate: false,
          include: ['packages/{node,workspace,worker,telegram}/{src,test}/**/*.test.ts'],
          exclude,
        },
      },
      {
        resolve: resolveSource,
        ssr: ssrSource,
        // For what starts the server of the tests.
        environments: { __vitest__: ssrSource },
        test: {
          ...seeded,
          name: 'postgres',
          testTimeout,
          hookTimeout: testTimeout,
          environment: 'node',
          isolate: false,
          include: ['packages/postgres/{src,test}/**/*.test.ts'],
          globalSetup: ['packages/postgres/test/cluster.ts'],
          exclude,
        },
      },
      {
        plugins: [vue()],
        resolve: resolveSource,
        ssr: ssrSource,
        test: {
          name: 'playground',
          testTimeout,
          isolate: false,
          environment: 'node',
          include: ['playground/**/*.test.ts'],
          exclude: ['playground/e2e/**', ...exclude],
        },
      },
      {
        plugins: [vue(), cachedModules()],
        resolve: resolveSource,
        // Named beforehand: a dependency found in the middle of a run makes Vite reload the page.
        optimizeDeps: {
          include: [
            '@assent/engine > idb',
            'axe-core',
            'fast-check',
            'vitest-browser-vue',
            'vue',
            'vue/server-renderer',
            'zod',
            ...[
              '@lucide/vue',
              '@vueuse/core',
              'diff',
              'katex',
              'marked',
              'remend',
              'shiki/core',
              'shiki/engine/javascript',
              'shiki/langs/typescript.mjs',
              'shiki/themes/github-dark-default.mjs',
              'shiki/themes/github-light-default.mjs',
              'virtua/vue',
            ].map((name) => `@assent/components > ${name}`),
          ],
        },
        test: {
          ...seeded,
          name: 'browser',
          retry,
          expect: patience,
          testTimeout,
          include: ['packages/components/{src,test}/**/*.test.ts', BROWSER_TESTS],
          exclude: [BUILD_TESTS, ...exclude],
          // Pages beside each other take longer than one after the other: each has its own renderer to feed.
          fileParallelism: false,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            commands: { takeRequests, unwatchNetwork, watchNetwork },
            provider: playwright({
              launchOptions: { executablePath: findChromium(), args: [...CHROMIUM_ARGS] },
            }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
      {
        resolve: resolveSource,
        ssr: ssrSource,
        test: {
          name: 'e2e',
          retry,
          expect: patience,
          environment: 'node',
          include: ['playground/e2e/**/*.test.ts'],
          exclude,
          globalSetup: ['playground/e2e/build-page.ts'],
          testTimeout,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
    ],
  },
})
