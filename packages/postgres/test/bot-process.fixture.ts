import { startBot } from '../../telegram/test/start-bot.ts'
import { openPostgres } from '../src/open-postgres.ts'
import { postgresStores } from '../src/tasks/postgres-stores.ts'
import { postgresTelegramRecords } from '../src/telegram/postgres-telegram-records.ts'

const [databaseUrl = '', ...args] = process.argv.slice(2)
const database = await openPostgres({
  url: databaseUrl,
  maxConnections: 4,
  onError: () => undefined,
})
const stores = postgresStores(database, { maxAttempts: 1_000 })
await startBot(stores, postgresTelegramRecords(database), args)
