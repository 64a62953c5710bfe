import type { DatabaseSync } from 'node:sqlite'
import { DatabaseError } from './database-error.ts'

/** Marks a file as one of Assent: "Asnt". */
const APPLICATION_ID = 0x41_73_6e_74

/** Refuses a file that is not ours, or too new for us; writes nothing. */
export function checkVersion(sqlite: DatabaseSync, path: string, latest: number): void {
  const tables = numberOf(sqlite, 'SELECT count(*) FROM sqlite_schema')
  if (tables > 0 && numberOf(sqlite, 'PRAGMA application_id') !== APPLICATION_ID) {
    throw new DatabaseError(
      'database_foreign',
      `${path} is a database of something else; choose another path.`,
    )
  }
  const version = numberOf(sqlite, 'PRAGMA user_version')
  if (version > latest && oldestOf(sqlite) > latest) {
    throw new DatabaseError(
      'database_newer',
      `${path} was written by a newer version of Assent (its tables are of version ${version}, this ` +
        `one knows ${latest}); update @assent/node.`,
    )
  }
}

/** Refuses a file that would have to be brought up to date, where nothing may be written. */
export function checkUpToDate(sqlite: DatabaseSync, path: string, latest: number): void {
  if (numberOf(sqlite, 'PRAGMA user_version') >= latest) return
  throw new DatabaseError(
    'database_unwritable',
    `${path} is of an older version; open it once without readOnly, or a copy of it.`,
  )
}

/**
 * Brings the tables up to date, all of it or nothing. Others may do the same at this moment: one does
 * it, the rest find it done. In a transaction that has the lock for writing.
 */
export function migrate(sqlite: DatabaseSync, path: string, migrations: readonly string[]): void {
  checkVersion(sqlite, path, migrations.length)
  sqlite.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
  const version = numberOf(sqlite, 'PRAGMA user_version')
  for (const sql of migrations.slice(version)) sqlite.exec(sql)
  sqlite.exec(`PRAGMA user_version = ${Math.max(version, migrations.length)}`)
}

/** How many migrations a process has to know to use the tables as they are now. */
function oldestOf(sqlite: DatabaseSync): number {
  const says = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'assent_schema'"
  return numberOf(sqlite, says) === 0
    ? Infinity
    : numberOf(sqlite, 'SELECT oldest FROM assent_schema')
}

function numberOf(sqlite: DatabaseSync, sql: string): number {
  return Number(Object.values(sqlite.prepare(sql).get() ?? {})[0])
}
