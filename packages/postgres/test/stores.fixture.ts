import { openPostgres } from '../src/open-postgres.ts'
import { postgresStores } from '../src/tasks/postgres-stores.ts'

const database = await openPostgres({ url: process.env['DATABASE_URL'] ?? '' })

export default { ...postgresStores(database), audit: false }
