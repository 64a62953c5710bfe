import { startDoomedWorker } from '../../worker/test/suspects/start-doomed-worker.ts'
import { openPostgres } from '../src/open-postgres.ts'
import { postgresStores } from '../src/tasks/postgres-stores.ts'

const [databaseUrl = '', url = '', name = ''] = process.argv.slice(2)
const database = await openPostgres({ url: databaseUrl, maxConnections: 2 })
startDoomedWorker(postgresStores(database), url, name)
