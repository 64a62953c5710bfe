import { openDatabase } from '@assent/node'
import { sqliteInbox } from '../../src/index.ts'
import { startDoomedWorker } from './start-doomed-worker.ts'

const [path = '', url = '', name = ''] = process.argv.slice(2)
const database = openDatabase(path)
startDoomedWorker({ database, inbox: sqliteInbox(database) }, url, name)
