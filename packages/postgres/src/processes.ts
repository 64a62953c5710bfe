import type { AssentPostgres, Row } from './open-postgres.ts'

/** Asks on one connection. */
export type AskSession = (sql: string, values: readonly unknown[]) => Promise<readonly Row[]>

/**
 * How long a connection must have been gone: its process may be back with another one. It tries to several
 * times within that.
 */
const GRACE_MS = 2_000
/** How often is looked at most. */
const SWEEP_MS = 400

/** Says that this process is there for as long as this connection is. Answers its number. */
export async function register(ask: AskSession, name: string): Promise<number> {
  const [row] = await ask(
    `insert into assent.processes as p (name, session_pid, session_start)
     select $1, pid, backend_start from pg_stat_activity where pid = pg_backend_pid()
     on conflict (name) do update set session_pid = excluded.session_pid,
       session_start = excluded.session_start, lost_at = null
     returning session_pid`,
    [name],
  )
  return Number(row?.['session_pid'])
}

/** Says that a connection says no more whether this process is there. */
export const UNREGISTER = 'delete from assent.processes where name = $1 and session_pid = $2'

const sweeps = new WeakMap<AssentPostgres, { at: number; over: Promise<void> }>()

/**
 * Ends the leases of processes that are gone: to be called again and again by who waits for one. The first
 * time that a process is missing is only noted.
 */
export function sweepProcesses(database: AssentPostgres): Promise<void> {
  const last = sweeps.get(database)
  if (last && performance.now() - last.at < SWEEP_MS) return last.over
  const over = database.query('select assent.sweep_v1($1)', [GRACE_MS]).then(() => undefined)
  sweeps.set(database, { at: performance.now(), over })
  return over
}
