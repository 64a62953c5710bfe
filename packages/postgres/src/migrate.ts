import type { PoolClient } from 'pg'
import { DatabaseError } from './database-error.ts'

/**
 * Brings the tables up to date, all of it or nothing, in a transaction of the caller. Others may do the
 * same at this moment: one does it, the rest wait for it and find it done.
 */
export async function migrate(
  client: PoolClient,
  name: string,
  migrations: readonly string[],
): Promise<void> {
  await client.query("select pg_advisory_xact_lock(hashtextextended('assent migrations', 0))")
  const version = await versionOf(client)
  if (version.oldest > migrations.length) {
    throw new DatabaseError(
      'database_newer',
      `${name} was written by a newer version of Assent (its tables are of version ${version.current}, ` +
        `this one knows ${migrations.length}); update @assent/postgres.`,
    )
  }
  if (version.current >= migrations.length) return
  if (version.current === 0) await client.query('create schema if not exists assent')
  for (const sql of migrations.slice(version.current)) await client.query(sql)
  await client.query('update assent.version set current = $1', [migrations.length])
}

/** How many migrations a database has seen, and how many one must know to use it. */
async function versionOf(client: PoolClient): Promise<{ current: number; oldest: number }> {
  const { rows: found } = await client.query<{ is_there: boolean }>(
    "select to_regclass('assent.version') is not null as is_there",
  )
  if (found[0]?.is_there !== true) return { current: 0, oldest: 0 }
  const { rows } = await client.query<{ current: number; oldest: number }>(
    'select current, oldest from assent.version',
  )
  return rows[0] ?? { current: 0, oldest: 0 }
}
