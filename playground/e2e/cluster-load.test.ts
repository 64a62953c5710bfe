import { createMessageEngine, isToolCallPart } from '@assent/engine'
import {
  openPostgres,
  postgresAudit,
  postgresConversations,
  postgresInbox,
  type AssentPostgres,
} from '@assent/postgres'
import { readTaskWaiting, type Inbox } from '@assent/worker'
import type { UIMessage } from 'ai'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { openPage } from '../../packages/node/test/chat-kills/page.ts'
import { MIGRATIONS } from '../../packages/postgres/src/migrations.ts'
import { openWith } from '../../packages/postgres/src/open-postgres.ts'
import { startEmbedded } from '../../packages/postgres/test/embedded-server.ts'
import { startCluster, type Cluster } from '../cluster/cluster.ts'
import { seededRandom } from './seeded-random.ts'
import { randomWord } from './visit.ts'

const isSoak = process.env['ASSENT_SOAK'] === '1'
const KILLS = isSoak ? 60 : 8
const REPLACEMENTS = isSoak ? 12 : 2
/** What goes on between two replacements, in milliseconds. */
const REPLACED_EVERY_MS = isSoak ? 20_000 : 4_000
const CONVERSATIONS = isSoak ? 50 : 10
/** What the next release may do to the tables while this one works with them. */
const NEXT = `
  alter table assent.records add column next text;
  alter table assent.leases add column next text not null default 'next';
  alter table assent.tasks add column next text;
  alter table assent.task_conversations add column next text;
  alter table assent.approvals add column next text;
  alter table assent.streams add column next text;
  alter table assent.audit_entries add column next text;
  alter table assent.tool_calls add column next text;
  create table assent.next (id text primary key);
`
/** Every run kills the same processes, after the same reports. */
const SEED = 20_261_125

const report = (word: string) =>
  `Send a report about the launch to ada@example.org saying “${word}”`

let stopDatabase: () => Promise<void>
let databaseUrl: string
/** At first of this release, and of the next one later. */
let database: AssentPostgres
let cluster: Cluster
const olds: AssentPostgres[] = []
/** Whose place is being taken by another process. */
let away: Promise<unknown> = Promise.resolve()

beforeAll(async () => {
  const server = await startEmbedded({ name: 'assent-e2e-load-' })
  stopDatabase = () => server.stop()
  databaseUrl = server.url
  database = await openPostgres({ url: databaseUrl })
  cluster = await startCluster({
    databaseUrl,
    outDir: inject('builtPage').outDir,
    env: { ASSENT_DEMO_SPEED: '40' },
  })
})

afterAll(async () => {
  await away
  await cluster?.close()
  await Promise.all([...olds, database].map((one) => one?.close()))
  await stopDatabase?.()
})

/** The latest call of a conversation, and how often its report was sent. */
interface End {
  readonly word: string
  readonly state: string | undefined
  readonly ran: number
}

function endOf(word: string, messages: readonly UIMessage[]): End {
  const call = messages.flatMap(({ parts }) => parts.filter(isToolCallPart)).at(-1)
  return { word, state: call?.state, ran: cluster.front.sent.get(word) ?? 0 }
}

/** It ran once, or the conversation says that nobody knows. */
function isTrue({ state, ran }: End): boolean {
  return state === 'output-available' ? ran === 1 : state === 'output-error' && ran <= 1
}

/** A page whose turns are approved reports, for as long as it is wanted. */
async function converse(isWanted: () => boolean): Promise<{ ends: End[]; returns: number }> {
  const servers = {
    name: 'all',
    origin: cluster.front.url,
    ready: () => away.then(() => cluster.front.url),
  }
  const page = openPage({ servers, id: crypto.randomUUID(), decide: () => 'yes' })
  const ends: End[] = []
  while (isWanted()) {
    const word = randomWord()
    await page.say(report(word))
    ends.push(endOf(word, page.messages))
  }
  return { ends, returns: page.returns }
}

/** A process of the next release joins, which changes the tables under all that work. */
async function upgrade(): Promise<void> {
  const before = database
  database = await openWith({ url: databaseUrl }, [...MIGRATIONS, NEXT])
  // Whoever uses it goes on for a moment.
  olds.push(before)
}

/** Tasks of the workers, one after the other, for as long as they are wanted. */
async function giveTasks(isWanted: () => boolean): Promise<End[]> {
  const ends: End[] = []
  while (isWanted()) {
    const word = randomWord()
    const conversationId = crypto.randomUUID()
    const inbox = postgresInbox(database)
    const { id } = await inbox.add({ conversationId, input: report(word) })
    await taskOver(id, inbox)
    ends.push(endOf(word, await kept(conversationId)))
  }
  return ends
}

/** Answers what a task asks, until it is done. */
async function taskOver(id: string, inbox: Inbox): Promise<void> {
  const over = Promise.withResolvers<void>()
  const look = async (): Promise<void> => {
    const task = await inbox.get(id)
    if (task?.state === 'done') return over.resolve()
    if (task?.state === 'dead') throw new Error(`${id} is dead: ${task.error?.message}`)
    if (task?.state !== 'parked') return
    const calls = readTaskWaiting(task.waitingFor)?.calls ?? []
    await inbox.answer(id, {
      decisions: calls.map(({ toolCallId, messageId, step }) => ({ toolCallId, messageId, step })),
    })
  }
  const stop = inbox.subscribe(() => void look().catch(over.reject))
  await look()
  await over.promise
  stop()
}

interface DatabaseCosts {
  readonly commits: number
  readonly walBytes: number
}

/** What the database did since it was made. */
async function databaseCosts(): Promise<DatabaseCosts> {
  const { rows } = await database.pool.query<{ commits: number; wal: number }>(
    `select xact_commit::float8 as commits, (pg_current_wal_lsn() - '0/0')::float8 as wal
     from pg_stat_database where datname = current_database()`,
  )
  const [row] = rows
  if (!row) throw new Error('There is no such database.')
  return { commits: row.commits, walBytes: row.wal }
}

/** What is stored of a conversation. */
async function kept(id: string): Promise<readonly UIMessage[]> {
  const hold = await postgresConversations(database).hold(id)
  if (!hold) throw new Error(`${id} is held by somebody.`)
  const engine = createMessageEngine({ id, storage: hold.storage, transport: neverAsked })
  await engine.ready
  const { messages } = engine.getState()
  engine.dispose()
  await hold.release()
  return messages
}

const neverAsked = {
  sendMessages: () => Promise.reject(new Error('It is only looked at.')),
  reconnectToStream: () => Promise.resolve(null),
}

test(
  `nothing is lost and nothing runs twice over ${KILLS} kills and ${REPLACEMENTS} replacements, beside the next release`,
  async () => {
    const random = seededRandom(SEED)
    const before = await databaseCosts()
    let kills = 0
    let replacements = 0
    const isWanted = () => kills < KILLS || replacements < REPLACEMENTS
    const isAway = { now: false }
    const change = (make: () => Promise<void>): void => {
      isAway.now = true
      away = make().finally(() => (isAway.now = false))
    }
    // One at a time, so that a page finds another server: any process, at any moment around a report.
    cluster.front.onReport = () => {
      if (isAway.now || kills === KILLS || random() < 0.5) return
      const doomed = cluster.processes[Math.floor(random() * cluster.processes.length)]
      if (!doomed) return
      kills += 1
      change(() => cluster.crash(doomed))
    }
    const replacing = setInterval(() => {
      const [oldest] = cluster.processes.filter(({ role }) => role === 'server')
      if (isAway.now || replacements === REPLACEMENTS || !oldest) return
      replacements += 1
      const isFirst = replacements === 1
      change(async () => {
        if (isFirst) await upgrade()
        await cluster.replace(oldest)
      })
    }, REPLACED_EVERY_MS)
    const [pages, tasks] = await Promise.all([
      Promise.all(Array.from({ length: CONVERSATIONS }, () => converse(isWanted))),
      Promise.all(Array.from({ length: 4 }, () => giveTasks(isWanted))),
    ])
    clearInterval(replacing)
    const ends = [...pages.flatMap((page) => page.ends), ...tasks.flat()]
    const unknown = ends.filter(({ state }) => state !== 'output-available')
    const returns = pages.reduce((sum, page) => sum + page.returns, 0)
    process.stdout.write(
      `\n${kills} kills, ${replacements} replacements: ${ends.length} approvals, ${tasks.flat().length} of them of ` +
        `tasks, ${unknown.length} of which nobody knows; ${returns} answers were taken up or asked for again.\n`,
    )
    const after = await databaseCosts()
    const perApproval = (one: keyof DatabaseCosts) => (after[one] - before[one]) / ends.length
    process.stdout.write(
      `An approval took ${perApproval('commits').toFixed(0)} transactions and ` +
        `${(perApproval('walBytes') / 1024).toFixed(0)} KB of the database's log.\n`,
    )
    expect(ends.filter((end) => !isTrue(end))).toEqual([])
    const audit = postgresAudit(database)
    expect(await audit.verify()).toMatchObject({ valid: true })
    const unnoted: End[] = []
    for (const end of ends) {
      if (end.state !== 'output-available') continue
      const noted = await audit.calls({ text: end.word, status: 'done' })
      if (noted.length !== 1) unnoted.push(end)
    }
    expect(unnoted).toEqual([])
    const { rows } = await database.pool.query('select current from assent.version')
    expect(rows).toEqual([{ current: MIGRATIONS.length + 1 }])
    expect({ kills, replacements }).toEqual({ kills: KILLS, replacements: REPLACEMENTS })
  },
  isSoak ? 3_600_000 : 300_000,
)
