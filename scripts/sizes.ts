// Prints what the built packages cost a browser, holds them to their budgets, and checks that
// nothing of the AI SDK is among it: it is there for its types only.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { bundleEntry, styleSize, tracesOfAiSdk } from './bundle.ts'
import { COMPONENT_NAMES } from '../packages/components/src/install/component-names.ts'
import { publishedPackages, type Manifest } from './workspace.ts'

/** Bytes of the root entry, minified and gzipped, without peers and other packages of ours. */
const BUDGETS: Readonly<Record<string, number>> = {
  '@assent/engine': 43_800,
  '@assent/vue': 5_000,
  '@assent/components': 47_300,
}

/** Bytes of what most pages import of a package, likewise. */
const IMPORTS: readonly (readonly [name: string, imports: readonly string[], budget: number])[] = [
  ['@assent/engine', ['createMessageEngine', 'httpTransport'], 23_300],
  ['@assent/engine', ['createMessageEngine', 'httpTransport', 'toolPlugin'], 42_200],
]

/** The package of which each component is measured by itself. */
const COMPONENTS = '@assent/components'

/** Packages that no browser loads. */
const NOT_FOR_BROWSERS: ReadonlySet<string> = new Set([
  '@assent/node',
  '@assent/postgres',
  '@assent/telegram',
  '@assent/worker',
  '@assent/workspace',
])

let failed = false

for (const { dir, manifest } of publishedPackages()) {
  if (NOT_FOR_BROWSERS.has(manifest.name)) continue
  const outside = [
    ...Object.keys(manifest.peerDependencies),
    ...Object.keys(manifest.dependencies).filter((name) => name.startsWith('@assent/')),
  ]
  for (const [entry, file] of entriesOf(manifest, '.js')) {
    const bundle = await bundleEntry(builtFile(dir, file), outside)
    const budget = entry === '.' ? BUDGETS[manifest.name] : undefined
    report(`${manifest.name}${entry.slice(1)}`, bundle.size, budget, bundle.lazySize)
    const traces = tracesOfAiSdk(bundle)
    if (traces.length > 0) {
      failed = true
      console.error(`  ✗ holds parts of the AI SDK: ${traces.slice(0, 5).join(', ')}`)
    }
  }
  for (const [name, imports, budget] of IMPORTS) {
    if (name !== manifest.name) continue
    const { size } = await bundleEntry(builtFile(dir, 'dist/index.js'), outside, imports)
    report(`  { ${imports.join(', ')} }`, size, budget)
  }
  for (const [entry, file] of entriesOf(manifest, '.css')) {
    report(`${manifest.name}${entry.slice(1)}`, await styleSize(builtFile(dir, file)))
  }
  if (manifest.name !== COMPONENTS) continue
  const root = builtFile(dir, 'dist/index.js')
  console.log('  each component alone:')
  for (const name of COMPONENT_NAMES) {
    const { size, lazySize } = await bundleEntry(root, outside, [name])
    report(`  ${name}`, size, undefined, lazySize)
  }
}

if (failed) process.exitCode = 1

function report(name: string, size: number, budget = Infinity, lazySize = 0): void {
  const over = size > budget
  failed ||= over
  const parts = [
    `${over ? '✗' : '✓'} ${name.padEnd(28)} ${kilobytes(size).padStart(9)}`,
    budget === Infinity ? '' : `of ${kilobytes(budget)}`,
    lazySize === 0 ? '' : `and ${kilobytes(lazySize)} loaded when needed`,
  ]
  console.log(parts.filter(Boolean).join('  '))
}

function builtFile(dir: string, file: string): string {
  const path = join(dir, file)
  if (!existsSync(path))
    throw new Error(`${path} is missing: build the packages with \`pnpm build\`.`)
  return path
}

/** The exports of a package that are built to files of this ending: name and file. */
function entriesOf(manifest: Manifest, ending: string): [entry: string, file: string][] {
  return Object.entries(manifest.exports).flatMap(([entry, target]) => {
    const file = typeof target === 'string' ? undefined : target['default']
    return file?.endsWith(ending) ? [[entry, file]] : []
  })
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(2)} KB`
}
