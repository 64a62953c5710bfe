import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'vite'
import { startEmbedded } from '../../packages/postgres/test/embedded-server.ts'
import { startCluster } from './cluster.ts'

// `npm run cluster`: PostgreSQL, two chat servers, two workers, and the playground in front of them. With
// DATABASE_URL it uses that database.

const PORT = Number(process.env['PORT'] ?? 5180)
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const ends: (() => Promise<unknown>)[] = []
let ending: Promise<void> | undefined

function end(code: number): Promise<void> {
  ending ??= (async () => {
    for (const one of ends.toReversed()) await one().catch((error: unknown) => say(String(error)))
    process.exit(code)
  })()
  return ending
}

/** Ends in order. PostgreSQL's starter would end this process before the rest is ended. */
function listenToSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.removeAllListeners(signal)
    process.on(signal, () => {
      if (!ending) say('\nEnding all of it …')
      void end(0)
    })
  }
}

listenToSignals()
try {
  say('Starting PostgreSQL and building the page …')
  const outDir = await mkdtemp(join(tmpdir(), 'assent-cluster-'))
  ends.push(() => rm(outDir, { recursive: true, force: true }))
  const [databaseUrl] = await Promise.all([
    openDatabaseServer(),
    build({
      configFile: join(import.meta.dirname, '../vite.config.ts'),
      logLevel: 'error',
      build: { outDir, emptyOutDir: true },
    }),
  ])
  const model = Object.entries(process.env).filter(([name]) => name.startsWith('ASSENT_'))
  const env = Object.fromEntries(model.map(([name, value]) => [name, value ?? '']))
  const cluster = await startCluster({ databaseUrl, outDir, port: PORT, env })
  ends.push(() => cluster.close())
  const { host } = new URL(databaseUrl)
  say(`
  The playground   ${cluster.front.url}
                   choose “On the server” under “Conversations” there, and open it in two browsers
  PostgreSQL       ${host}`)
  for (const { role, name, pid } of cluster.processes) {
    say(`  ${role === 'server' ? 'Chat server' : 'Worker     '}      ${name} (process ${pid})`)
  }
  say(`
  Requests go to the servers in turn. Try: kill -9 one of them while an answer streams or a call
  waits, and go on at the other. Ctrl+C ends all of it.`)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  await end(1)
}

async function openDatabaseServer(): Promise<string> {
  const given = process.env['DATABASE_URL']
  if (given) return given
  const server = await startEmbedded({ name: 'assent-cluster-' })
  ends.push(() => server.stop())
  listenToSignals()
  return server.url
}
