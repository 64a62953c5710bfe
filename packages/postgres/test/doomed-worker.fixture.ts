import { openDatabase } from '@assent/node'
import { startDoomedWorker } from '../../worker/test/suspects/start-doomed-worker.ts'
import { openPostgres } from '../src/open-postgres.ts'
import { postgresInbox } from '../src/tasks/postgres-inbox.ts'

const [path = '', url = '', name = '', databaseUrl = ''] = process.argv.slice(2)
const inbox = postgresInbox(await openPostgres({ url: databaseUrl, maxConnections: 2 }))
startDoomedWorker({ inbox, database: openDatabase(path) }, url, name)
