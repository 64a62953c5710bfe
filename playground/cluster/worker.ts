import { openPostgres, postgresStores } from '@assent/postgres'
import { createWorker, modelEngine } from '@assent/worker'
import { chooseModel } from '../server/model.ts'
import { clusterTools, INSTRUCTIONS } from './cluster-tools.ts'
import { readSettings } from './settings.ts'

// One of the workers of the cluster. It prints its name, and gives back what it works on when it is told
// to end.

const { databaseUrl, worldUrl } = readSettings(process.env)
const onError = (error: unknown): void => void process.stderr.write(`${String(error)}\n`)
const database = await openPostgres({ url: databaseUrl, onError })
const worker = createWorker({
  ...postgresStores(database),
  createEngine: modelEngine({
    model: chooseModel(process.env).model,
    instructions: INSTRUCTIONS,
    settings: { maxRetries: 0 },
    ...clusterTools(worldUrl),
  }),
  onError,
})
worker.start()
process.stdout.write(`${worker.name}\n`)

async function end(): Promise<void> {
  await worker.stop({ graceMs: 5_000 })
  await database.close()
  process.exit(0)
}

process.once('SIGTERM', () => void end())
process.once('SIGINT', () => void end())
