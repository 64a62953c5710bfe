// Prints what each package of a server costs beside `ai` and `zod`, and holds it to its budget: what an
// install brings, and what an import reads. The time of an import is printed beside that of `ai`, and held to
// nothing: it is the machine's as much as ours.
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { installPacked } from './packed.ts'
import { publishedPackages } from './workspace.ts'

interface Budget {
  /** Bytes of all files of an install. */
  readonly installed: number
  /** Modules that an import reads. */
  readonly files: number
  /** Bytes of these modules. */
  readonly read: number
}

const MB = 1_000_000
/** A little above what they take. */
const BUDGETS: Readonly<Record<string, Budget>> = {
  '@assent/node': { installed: 4.2 * MB, files: 20, read: 0.84 * MB },
  '@assent/worker': { installed: 5 * MB, files: 22, read: 0.94 * MB },
  '@assent/postgres': { installed: 6.8 * MB, files: 50, read: 0.8 * MB },
  '@assent/telegram': { installed: 9.5 * MB, files: 85, read: 2.2 * MB },
  '@assent/workspace': { installed: 95 * MB, files: 150, read: 1.3 * MB },
}
/** What a chat has anyway. */
const THERE = ['ai', 'zod']
/** The fastest of so many imports, each in a process of its own. */
const ROUNDS = 7

const Reading = z.object({ ms: z.number(), modules: z.record(z.string(), z.number()) })
type Reading = z.infer<typeof Reading>

const Needs = z.looseObject({
  dependencies: z.record(z.string(), z.string()).default({}),
  peerDependencies: z.record(z.string(), z.string()).default({}),
  peerDependenciesMeta: z
    .record(z.string(), z.object({ optional: z.boolean().optional() }))
    .default({}),
})

/** Imports a package, and says which modules were read for that. */
const READER = `
import { registerHooks } from 'node:module'
const modules = {}
if (process.argv[3] === 'modules') {
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context)
      if (url.startsWith('file:')) modules[url] = loaded.source?.length ?? 0
      return loaded
    },
  })
}
const began = performance.now()
await import(process.argv[2])
process.stdout.write(JSON.stringify({ ms: performance.now() - began, modules }))
`

const project = mkdtempSync(join(tmpdir(), 'assent-costs-'))
const modules = join(project, 'node_modules')
const reader = join(project, 'reader.mjs')
let failed = false
try {
  installPacked(publishedPackages(), modules)
  writeFileSync(reader, READER)
  const there = new Set(THERE.flatMap((name) => [...installOf(join(modules, name)).keys()]))
  const readAnyway = readBy('ai')

  for (const [name, budget] of Object.entries(BUDGETS)) {
    const install = [...installOf(join(modules, name))].filter(([dir]) => !there.has(dir))
    const read = Object.entries(readBy(name)).filter(([url]) => readAnyway[url] === undefined)
    const { ms, ofAi } = timesOf(name)
    report(name, budget, {
      installed: sum(install.map(([, bytes]) => bytes)),
      files: read.length,
      read: sum(read.map(([, bytes]) => bytes)),
    })
    console.log(`  imported in ${ms.toFixed(0)} ms, ${(ms / ofAi).toFixed(2)} × ai`)
  }
} finally {
  rmSync(project, { recursive: true, force: true })
}
if (failed) process.exitCode = 1

/** The folders of a package and of all that it needs, with the bytes of their files. */
function installOf(link: string, found = new Map<string, number>()): Map<string, number> {
  const dir = realpathSync(link)
  if (found.has(dir)) return found
  const files = globSync('**', { cwd: dir, exclude: (name) => name === 'node_modules' })
  found.set(
    dir,
    sum(
      files.map((file) => statSync(join(dir, file))).map((stat) => (stat.isFile() ? stat.size : 0)),
    ),
  )
  const manifest = readFileSync(join(dir, 'package.json'), 'utf8')
  const { dependencies, peerDependencies, peerDependenciesMeta } = Needs.parse(JSON.parse(manifest))
  for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
    const place = placeOf(name, dir)
    const isOptional = peerDependenciesMeta[name]?.optional === true
    if (place !== undefined && !isOptional) installOf(place, found)
  }
  return found
}

/** Where Node finds a package from a folder. */
function placeOf(name: string, from: string): string | undefined {
  for (let dir = from; ; dir = dirname(dir)) {
    const place = join(dir, 'node_modules', name)
    if (existsSync(place)) return place
    if (dir === dirname(dir)) return undefined
  }
}

function run(name: string, what: 'modules' | 'time'): Reading {
  const output = execFileSync(process.execPath, [reader, name, what], { cwd: project })
  return Reading.parse(JSON.parse(output.toString()))
}

function readBy(name: string): Record<string, number> {
  return run(name, 'modules').modules
}

/** One after the other, so that what else the machine does meets both. */
function timesOf(name: string): { ms: number; ofAi: number } {
  const times = Array.from({ length: ROUNDS }, () => [run(name, 'time').ms, run('ai', 'time').ms])
  const fastest = (index: number): number =>
    Math.min(...times.map((pair) => pair[index] ?? Infinity))
  return { ms: fastest(0), ofAi: fastest(1) }
}

function report(name: string, budget: Budget, cost: Budget): void {
  const rows = [
    ['installed', cost.installed / MB, budget.installed / MB, ' MB'],
    ['read', cost.read / MB, budget.read / MB, ' MB'],
    ['in files', cost.files, budget.files, ''],
  ] as const
  const isOver = rows.some(([, value, most]) => value > most)
  failed ||= isOver
  const parts = rows.map(([what, value, most, unit]) => {
    const digits = unit === '' ? 0 : 2
    return `${what} ${value.toFixed(digits)} of ${most.toFixed(digits)}${unit}`
  })
  console.log(`${isOver ? '✗' : '✓'} ${name.padEnd(18)} ${parts.join(', ')}`)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
