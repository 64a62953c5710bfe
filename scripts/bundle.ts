import { gzipSync } from 'node:zlib'
import vue from '@vitejs/plugin-vue'
import { build, type Plugin } from 'vite'

/** A module that exports a part of another. */
const ONLY = 'only-these-exports'

/** What one entry of a package costs a browser. */
export interface Bundle {
  /** Bytes of the entry and all that it loads at once, minified and gzipped. */
  size: number
  /** Bytes of what it loads later, minified and gzipped. */
  lazySize: number
  /** Paths of all modules of which something is in it. */
  modules: string[]
  /** What it still imports by name at run time. */
  imports: string[]
}

/**
 * Bundles an entry for browsers, in memory.
 *
 * @param entry absolute path of the module
 * @param external names of packages that are left out
 * @param names the exports that are kept; all of them by default
 */
export async function bundleEntry(
  entry: string,
  external: readonly string[],
  names?: readonly string[],
): Promise<Bundle> {
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    plugins: [vue(), ...(names ? [exportOnly(entry, names)] : [])],
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      target: 'es2022',
      // As a library, so that nothing of Vite's own runtime is counted.
      lib: { entry: names ? ONLY : entry, formats: ['es'] },
      rolldownOptions: {
        // As an app's bundler does it, whose own entry imports this one. As strict as libraries are
        // built, all that code loaded later has in common with the entry would be split into chunks
        // of their own: dozens that are compressed apart, and that no app loads.
        preserveEntrySignatures: 'allow-extension',
        external: (id) => external.some((name) => id === name || id.startsWith(`${name}/`)),
        // Annotations for bundlers do not outlive the bundling of an app.
        output: { minify: true, comments: false },
      },
    },
  })
  if (!Array.isArray(built)) throw new Error(`Bundling ${entry} gave no output.`)
  const chunks = built.flatMap(({ output }) => output).filter((file) => file.type === 'chunk')
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))

  const atOnce = new Set<string>()
  const load = (name: string): void => {
    const chunk = byName.get(name)
    if (!chunk || atOnce.has(name)) return
    atOnce.add(name)
    chunk.imports.forEach(load)
  }
  chunks.filter(({ isEntry }) => isEntry).forEach(({ fileName }) => load(fileName))

  const sizeOf = (list: typeof chunks): number =>
    list.reduce((sum, { code }) => sum + gzipSync(code).byteLength, 0)
  return {
    size: sizeOf(chunks.filter(({ fileName }) => atOnce.has(fileName))),
    lazySize: sizeOf(chunks.filter(({ fileName }) => !atOnce.has(fileName))),
    modules: chunks.flatMap(({ moduleIds }) => moduleIds),
    imports: [...new Set(chunks.flatMap((chunk) => [...chunk.imports, ...chunk.dynamicImports]))]
      .filter((name) => !byName.has(name))
      .toSorted(),
  }
}

function exportOnly(entry: string, names: readonly string[]): Plugin {
  return {
    name: 'export-only',
    // Vite makes a path of it before it asks.
    resolveId: (id) => (id.endsWith(ONLY) ? ONLY : undefined),
    load: (id) =>
      id === ONLY ? `export { ${names.join(', ')} } from ${JSON.stringify(entry)}` : undefined,
  }
}

/** Bytes of a stylesheet with all that it imports, minified and gzipped. */
export async function styleSize(file: string): Promise<number> {
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      target: 'es2022',
      lib: { entry: { style: file }, formats: ['es'] },
      cssCodeSplit: true,
      cssMinify: true,
    },
  })
  if (!Array.isArray(built)) throw new Error(`Bundling ${file} gave no output.`)
  return built
    .flatMap(({ output }) => output)
    .filter((output) => output.type === 'asset')
    .reduce((sum, { source }) => sum + gzipSync(source).byteLength, 0)
}

/** The parts of a bundle that come from the AI SDK: modules inside it, and imports that it makes. */
export function tracesOfAiSdk({ modules, imports }: Pick<Bundle, 'modules' | 'imports'>): string[] {
  return [
    ...modules.filter((id) => /[/\\]node_modules[/\\](?:ai|@ai-sdk[/\\][^/\\]+)[/\\]/.test(id)),
    ...imports.filter((name) => /^(?:ai|@ai-sdk\/[^/]+)(?:\/|$)/.test(name)),
  ]
}
