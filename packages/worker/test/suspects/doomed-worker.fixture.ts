import { openDatabase } from '@assent/node'
import { sqliteStores } from '../../src/index.ts'
import { startDoomedWorker } from './start-doomed-worker.ts'

const [path = '', url = '', name = ''] = process.argv.slice(2)
startDoomedWorker(sqliteStores(openDatabase(path)), url, name)
