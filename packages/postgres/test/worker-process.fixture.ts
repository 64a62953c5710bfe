import { startWorldWorker } from '../../worker/test/kills/start-world-worker.ts'
import { openPostgres } from '../src/open-postgres.ts'
import { postgresStores } from '../src/tasks/postgres-stores.ts'

const [databaseUrl = '', url = '', name = ''] = process.argv.slice(2)
const database = await openPostgres({
  url: databaseUrl,
  maxConnections: 4,
  onError: () => undefined,
})
startWorldWorker(postgresStores(database), { url, name, close: () => database.close() })
