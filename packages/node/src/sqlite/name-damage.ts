import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { isDamaged, toDatabaseError } from './database-error.ts'

/** Whoever reads or writes by a connection, also by plain SQL, is told in words that its file is damaged. */
export function nameDamage(sqlite: DatabaseSync, fileName: string): void {
  function tell<RESULT>(run: () => RESULT): RESULT {
    try {
      return run()
    } catch (error) {
      throw isDamaged(error) ? toDatabaseError(error, fileName) : error
    }
  }

  function watch<OBJECT extends object>(object: OBJECT, names: readonly (keyof OBJECT)[]): void {
    for (const name of names) {
      const original: unknown = object[name]
      if (typeof original !== 'function') continue
      const value = (...given: unknown[]): unknown => tell(() => original.apply(object, given))
      Object.defineProperty(object, name, { value, configurable: true, writable: true })
    }
  }

  watch(sqlite, ['exec'])
  const prepare = sqlite.prepare.bind(sqlite)
  const value = (...given: Parameters<DatabaseSync['prepare']>): StatementSync => {
    const statement = tell(() => prepare(...given))
    watch(statement, ['all', 'get', 'run'])
    return statement
  }
  Object.defineProperty(sqlite, 'prepare', { value, configurable: true, writable: true })
}
