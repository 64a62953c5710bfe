import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { table, type Figure } from './figures.ts'

// Before Vue is imported, and before Vite builds the page: its development build is much slower.
process.env['NODE_ENV'] = 'production'

const SUITES: Readonly<Record<string, () => Promise<Figure[]>>> = {
  text: async () => (await import('./text-delta.ts')).measureTextDelta(),
  'tool-input': async () => (await import('./tool-input-delta.ts')).measureToolInputDelta(),
  sse: async () => (await import('./sse.ts')).measureSse(),
  conversation: async () => (await import('./conversation.ts')).measureConversation(),
  rendering: async () => [
    ...(await (await import('./rendering-kit.ts')).measureKit()),
    ...(await (await import('./rendering.ts')).measureRendering()),
  ],
  storage: async () => (await import('./storage.ts')).measureStorage(),
  worker: async () => (await import('./worker.ts')).measureWorker(),
  audit: async () => (await import('./audit.ts')).measureAudit(),
  serving: async () => (await import('./serving.ts')).measureServing(),
}

const HELP = `Usage: pnpm bench [--check] [suite …]

Suites: ${Object.keys(SUITES).join(', ')}. Without a name all run, and bench/results.json is written.
  --check   exit with an error when a budget is missed`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    check: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const unknown = positionals.filter((name) => !Object.hasOwn(SUITES, name))
if (values.help || unknown.length > 0) {
  console.log(unknown.length > 0 ? `No such suite: ${unknown.join(', ')}\n\n${HELP}` : HELP)
  process.exit(values.help ? 0 : 2)
}

const figures: Figure[] = []
for (const [name, measure] of Object.entries(SUITES)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  console.log(`Measuring ${name} …`)
  figures.push(...(await measure()))
}
console.log(`\n${table(figures)}\n`)

if (positionals.length === 0) {
  const file = join(import.meta.dirname, 'results.json')
  await writeFile(file, `${JSON.stringify(figures, undefined, 2)}\n`)
  console.log(`Written to ${file}`)
}
const missed = figures.filter(({ ok }) => !ok)
if (missed.length > 0) console.log(`${missed.length} figures miss their budget.`)
if (values.check && missed.length > 0) process.exitCode = 1
