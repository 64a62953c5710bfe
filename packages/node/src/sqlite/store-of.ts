import type { AssentDatabase } from './open-database.ts'

/** One for each file: several databases and adapters of it are one store. */
const stores = new Map<string, object>()

/** What all who have a file open in this process have in common. */
export function storeOf(database: AssentDatabase): object {
  const { path } = database
  if (path === ':memory:') return database
  const store = stores.get(path) ?? {}
  stores.set(path, store)
  return store
}
