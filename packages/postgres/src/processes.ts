import type { AssentPostgres } from './open-postgres.ts'

/**
 * How long a connection must have been gone: its process may be back with another one. It tries to several
 * times within that.
 */
const GRACE_MS = 2_000
/** How often is looked at most. */
const SWEEP_MS = 400

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
