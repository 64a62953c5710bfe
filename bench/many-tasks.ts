// Tasks in PostgreSQL, measured in one run:
//
//   node --conditions=@assent/source bench/many-tasks.ts
//
// How many tasks one, two and four workers do, each with a tool call, on disk, audited and not, by how many transactions, those
// that only read among them; and what a claim and its end take
// among 1,000, 100,000 and 1,000,000 conversations that wait. `ASSENT_TASKS` is how many are done.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { openPostgres, postgresInbox, type AssentPostgres } from '@assent/postgres'
import { startEmbedded } from '../packages/postgres/test/embedded-server.ts'
import { fillInbox } from '../packages/postgres/test/waiting-tasks.ts'

const TASKS = Number(process.env['ASSENT_TASKS'] ?? 600)
const WORKERS = [1, 2, 4]
/** How far the audit slows that down is seen beside those without one. */
const IS_AUDITED = [false, true]
const WAITING = [1_000, 100_000, 1_000_000]
const CLAIMS = 200

/** Tasks in a second of so many workers, and transactions of a task. */
async function rateOf(
  { workers, isAudited }: { readonly workers: number; readonly isAudited: boolean },
  database: AssentPostgres,
  url: string,
): Promise<{ readonly rate: number; readonly transactions: number }> {
  const inbox = postgresInbox(database)
  const children = Array.from({ length: workers }, () =>
    fork(join(import.meta.dirname, 'many-tasks/task-worker.ts'), {
      execArgv: ['--conditions=@assent/source'],
      env: { ...process.env, DATABASE_URL: url, IS_AUDITED: isAudited ? 'yes' : 'no' },
    }),
  )
  await Promise.all(children.map((child) => once(child, 'message')))
  for (let count = 0; count < TASKS; count++) {
    await inbox.add({ conversationId: `${workers}/${count}`, input: 'What is there?' })
  }
  const over = Promise.withResolvers<void>()
  const look = async (): Promise<void> => {
    const counts = await inbox.count()
    if ((counts.get('dead') ?? 0) > 0) throw new Error('A task died.')
    if ((counts.get('done') ?? 0) === TASKS) over.resolve()
  }
  const looking = setInterval(() => void look().catch(over.reject), 50)
  const before = await transactionsOf(database)
  const began = performance.now()
  for (const child of children) child.send('start')
  await over.promise
  const seconds = (performance.now() - began) / 1_000
  clearInterval(looking)
  const ended = children.map((child) => once(child, 'exit'))
  for (const child of children) child.kill('SIGKILL')
  await Promise.all(ended)
  await database.pool.query('truncate assent.tasks, assent.task_conversations cascade')
  const transactions = ((await transactionsOf(database)) - before) / TASKS
  return { rate: TASKS / seconds, transactions }
}

/** All of the database so far; connections tell theirs once a second, and when they end. */
async function transactionsOf({ query }: AssentPostgres): Promise<number> {
  await setTimeout(1_500)
  const [row] = await query(
    'select xact_commit::float8 as count from pg_stat_database where datname = current_database()',
  )
  return Number(row?.['count'])
}

/** The median of the milliseconds that a claim and its end take. */
async function claimAmong(waiting: number, database: AssentPostgres): Promise<number> {
  const inbox = postgresInbox(database)
  await fillInbox(database.pool, waiting)
  const times: number[] = []
  for (let count = 0; count < CLAIMS; count++) {
    const began = performance.now()
    const claim = await inbox.claim({ worker: 'bench', leaseMs: 60_000 })
    if (!claim || !(await inbox.complete(claim))) throw new Error('A task is missing.')
    times.push(performance.now() - began)
  }
  return times.toSorted((one, other) => one - other)[CLAIMS / 2] ?? Number.NaN
}

function say(what: string, value: number, unit: string, base: number): void {
  const ratio = `${(value / base).toFixed(2)} ×`
  process.stdout.write(
    `${what.padEnd(44)} ${value.toFixed(1).padStart(8)} ${unit.padEnd(8)} ${ratio}\n`,
  )
}

const server = await startEmbedded({ name: 'assent-bench-tasks-' })
const database = await openPostgres({ url: server.url })
try {
  let base = Number.NaN
  for (const workers of WORKERS) {
    for (const isAudited of IS_AUDITED) {
      const { rate, transactions } = await rateOf({ workers, isAudited }, database, server.url)
      if (Number.isNaN(base)) base = rate
      const name = `${workers} worker${workers > 1 ? 's' : ''}, ${isAudited ? 'audited' : 'not audited'}`
      say(`tasks of ${name}`, rate, 'tasks/s', base)
      say(`transactions of a task of ${name}`, transactions, '', transactions)
    }
  }
  base = Number.NaN
  for (const waiting of WAITING) {
    const ms = await claimAmong(waiting, database)
    if (Number.isNaN(base)) base = ms
    say(`a claim and its end among ${waiting.toLocaleString('en')}`, ms, 'ms', base)
  }
} finally {
  await database.close()
  await server.stop()
}
