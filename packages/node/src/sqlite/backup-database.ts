import { closeSync, openSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { assertOpen, DatabaseError, toDatabaseError } from './database-error.ts'
import type { AssentDatabase } from './open-database.ts'
import { createQueries } from './queries.ts'

/**
 * Copies a database into a new file as it is at one moment, while others go on reading and writing, also in this
 * process. Only its
 * owner may read the copy, which is whole in one file: `openDatabase(file, { readOnly: true })` looks into it.
 *
 * @param path of the copy; there must be no such file yet
 * @throws DatabaseError
 */
export async function backupDatabase(database: AssentDatabase, path: string): Promise<void> {
  assertOpen(database)
  const file = resolve(path)
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (cause) {
    const text = `${file} cannot be made; give the path of a new file, in a folder that exists.`
    throw new DatabaseError('invalid_argument', text, { cause })
  }
  try {
    const { backup, DatabaseSync } = process.getBuiltinModule('node:sqlite')
    // By a connection of its own: this thread would wait for it with whatever it asks of the other one.
    const isInFile = database.path !== ':memory:'
    const source = isInFile ? new DatabaseSync(database.path, { readOnly: true }) : database.sqlite
    try {
      // All pages at once: what others write would make it begin anew, and a reader keeps nobody from writing.
      await backup(source, file, { rate: 2 ** 31 - 1 })
    } finally {
      if (isInFile) source.close()
    }
    const copy = new DatabaseSync(file)
    const { closed, busyTimeoutMs } = database
    const queries = createQueries(copy, { path: file, closed, busyTimeoutMs })
    try {
      // Without a log beside it, it can be read where nothing may be written.
      copy.exec('PRAGMA journal_mode = DELETE')
      const [[found] = []] = await queries.ask([{ sql: 'PRAGMA quick_check(1)' }])
      if (found?.['quick_check'] !== 'ok') {
        const text = `${database.path} is damaged; use a backup that was made before.`
        throw new DatabaseError('database_unreadable', text)
      }
    } finally {
      await queries.close()
      copy.close()
    }
  } catch (error) {
    rmSync(file, { force: true })
    throw toDatabaseError(error, database.path)
  }
}
