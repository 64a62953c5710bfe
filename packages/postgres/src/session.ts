/** Asks on one connection; answers with rows. */
export type AskSession = (
  sql: string,
  values: readonly unknown[],
) => Promise<readonly Readonly<Record<string, unknown>>[]>

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
