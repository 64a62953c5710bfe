import { openDatabase } from '@assent/node'
import { sqliteStores } from '../../src/index.ts'
import { startWorldWorker } from './start-world-worker.ts'

const [path = '', url = '', name = ''] = process.argv.slice(2)
const database = openDatabase(path)
startWorldWorker(sqliteStores(database), { url, name, close: () => database.close() })
