import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'vite'
import { ROOT } from './child.ts'

/** What an app has beside what we publish. */
const APP_TOOLS = ['vite', '@vitejs/plugin-vue', 'unplugin-vue-components', 'typescript']
const VUE_TSC = join(ROOT, 'node_modules/vue-tsc/bin/vue-tsc.js')

/** Puts the tools that build an app into its `node_modules`. */
export function installTools(modules: string): void {
  for (const name of APP_TOOLS) {
    const link = join(modules, name)
    if (existsSync(link)) continue
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), link, 'dir')
  }
}

/**
 * Builds the app whose templates name components that no script imports, for browsers and for a
 * server, and lets the server render it.
 *
 * @param root absolute path of the app
 * @returns what is wrong, one line each
 */
export async function checkBuiltApp(root: string): Promise<string[]> {
  const configFile = join(root, 'vite.config.ts')
  await build({ root, configFile, logLevel: 'warn' })
  await build({
    root,
    configFile,
    logLevel: 'warn',
    build: { ssr: 'src/server.ts', outDir: 'server', emptyOutDir: true },
  })
  const problems: string[] = []
  const assets = join(root, 'dist/assets')
  const styles = readdirSync(assets).filter((name) => name.endsWith('.css'))
  const css = styles.map((name) => readFileSync(join(assets, name), 'utf8')).join('\n')
  if (!css.includes('@layer assent')) problems.push('The resolver brought no stylesheet.')
  // Its own build tool must not take the dark colours out of it.
  if (!/\[data-theme=["']?dark["']?\]/.test(css)) problems.push('The stylesheet has no dark theme.')

  const entry: unknown = await import(pathToFileURL(join(root, 'server/server.js')).href)
  const html = await renderBy(entry)
  for (const wanted of ['data-slot="chat"', 'Rent is due', 'aria-label="What to note"']) {
    if (!html.includes(wanted)) problems.push(`The server's page lacks ${wanted}`)
  }
  return problems
}

async function renderBy(entry: unknown): Promise<string> {
  if (typeof entry !== 'object' || entry === null || !('render' in entry)) return ''
  const { render } = entry
  return typeof render === 'function' ? String(await render()) : ''
}

/**
 * Checks an app with single-file components as its own `vue-tsc` would. A `@vue-expect-error` in it
 * that expects in vain is an error, too.
 *
 * @param root absolute path of the app, with its `tsconfig.json`
 */
export function checkAppTypes(root: string): string[] {
  const args = [VUE_TSC, '-p', join(root, 'tsconfig.json'), '--noEmit', '--pretty', 'false']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status === 0) return []
  return `${stdout}${stderr}`.split('\n').filter((line) => line.trim() !== '')
}
