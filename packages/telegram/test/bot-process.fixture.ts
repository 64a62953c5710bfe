import { openDatabase } from '@assent/node'
import { sqliteStores } from '@assent/worker'
import { sqliteTelegramRecords } from '../src/index.ts'
import { startBot } from './start-bot.ts'

const [path = '', ...args] = process.argv.slice(2)
const database = openDatabase(path)
const stores = sqliteStores(database, { maxAttempts: 1_000 })
await startBot(stores, sqliteTelegramRecords(database), args)
