import { openDatabase } from '@assent/node'
import { sqliteStores } from '../src/sqlite-stores.ts'

const [path = ''] = process.argv.slice(2)
await sqliteStores(openDatabase(path)).erase({ conversationId: 'c' })
