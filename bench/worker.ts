import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMessageEngine, EngineError, toolPlugin } from '@assent/engine'
import { answer, callTools, scriptedTransport } from '@assent/engine/testing'
import { openDatabase, type AssentDatabase, type OpenDatabaseOptions } from '@assent/node'
import {
  createWorker,
  sqliteInbox,
  sqliteStores,
  type CreateTaskEngine,
  type SqliteInbox,
} from '@assent/worker'
import { jsonSchema, tool } from 'ai'
import { figure, flatness, type Figure } from './figures.ts'
import { race } from './measure.ts'
import { virtualClock } from './virtual-clock.ts'

const TASKS = 200
const CONVERSATIONS = 20
/** An hour in which a task comes every two seconds. */
const HOUR_TASKS = 1_800
const EVERY_MS = 2_000
/** Of tasks that are over, as long as an app would want to look at them here. */
const KEPT_MS = 10 * 60_000

/** What a worker manages, and what it keeps in memory of what is over. */
export async function measureWorker(): Promise<Figure[]> {
  return [...(await measureRate()), ...(await measureBacklogs()), ...(await measureHour())]
}

async function withDatabase<RESULT>(
  options: OpenDatabaseOptions,
  use: (database: AssentDatabase) => Promise<RESULT>,
) {
  const folder = mkdtempSync(join(tmpdir(), 'assent-bench-'))
  const database = openDatabase(join(folder, 'data.db'), options)
  try {
    return await use(database)
  } finally {
    await database.close()
    rmSync(folder, { recursive: true })
  }
}

const look = tool({
  inputSchema: jsonSchema<{ word: string }>({ type: 'object' }),
  execute: ({ word }) => `${word}: ${'seen '.repeat(200)}`,
})

/** Engines whose model calls one tool per task; `fails` says whether a request is refused. */
function engines(fails: () => boolean, asks: () => boolean): CreateTaskEngine {
  return ({ conversationId, storage, plugins }) =>
    createMessageEngine({
      id: conversationId,
      storage,
      transport: scriptedTransport(
        Array.from({ length: 3 }, () => ({ messages }) => {
          if (messages.at(-1)?.role === 'assistant') return answer('Here it is.')
          if (fails()) return new EngineError('stream_error', 'Busy.', { retryable: true })
          return callTools([{ toolCallId: 'call', toolName: 'look', input: { word: 'fox' } }])
        }),
      ),
      plugins: [
        ...plugins,
        toolPlugin({
          tools: { look },
          defaultApproval: 'approved',
          toolApproval: () => (asks() ? 'user-approval' : 'not-applicable'),
          durable: 'required',
        }),
      ],
      onError: () => undefined,
    })
}

async function measureRate(): Promise<Figure[]> {
  return withDatabase({}, async (database) => {
    const stores = sqliteStores(database)
    const { inbox } = stores
    for (let number = 0; number < TASKS; number++) {
      const conversationId = `c${number % CONVERSATIONS}`
      await inbox.add({ id: `t${number}`, conversationId, input: 'What is there?' })
    }
    const worker = createWorker({
      ...stores,
      createEngine: engines(
        () => false,
        () => false,
      ),
    })
    const over = untilOver(inbox, TASKS)
    const cpu = process.cpuUsage()
    const begun = performance.now()
    worker.start()
    await over
    const seconds = (performance.now() - begun) / 1_000
    const { user, system } = process.cpuUsage(cpu)
    await worker.stop()
    return [
      figure({
        name: 'tasks of a worker, one tool call each',
        value: TASKS / seconds,
        unit: 'tasks/s',
      }),
      figure({
        name: 'CPU time of a task with one tool call, on disk and audited',
        value: (user + system) / 1_000 / TASKS,
        unit: 'ms/task',
      }),
    ]
  })
}

/** Whether a task costs the same, however many wait and were there before. */
async function measureBacklogs(): Promise<Figure[]> {
  const figures = [await measureBacklog(1_000), await measureBacklog(20_000)]
  return [
    ...figures,
    flatness('a task added, claimed and completed, by the length of the queue', figures),
  ]
}

/** Half of the tasks are over by then, and all of the others are of few conversations. */
async function measureBacklog(tasks: number): Promise<Figure> {
  return withDatabase({ synchronous: 'normal' }, async (database) => {
    const inbox = sqliteInbox(database)
    let added = 0
    const add = () => inbox.add({ conversationId: `c${added++ % 10}`, input: 'And now?' })
    const workOff = async () => {
      const claim = await inbox.claim({ worker: 'bench', leaseMs: 60_000 })
      if (!claim || !(await inbox.complete(claim))) throw new Error('A task is missing.')
    }
    for (let number = 0; number < tasks; number++) await add()
    for (let over = 0; over < tasks / 2; over++) await workOff()
    // The queue stays as long as it is.
    const run = async () => {
      for (let count = 0; count < 20; count++) {
        await add()
        await workOff()
      }
    }
    const cost = await race([{ name: 'ours', units: 20, prepare: () => run }])
    return figure({
      name: `a task added, claimed and completed, beside ${tasks / 2}`,
      value: cost.get('ours') ?? Number.NaN,
      unit: 'µs/task',
    })
  })
}

/** Resolves when so many tasks are over. */
function untilOver(inbox: SqliteInbox, wanted: number): Promise<void> {
  const over = Promise.withResolvers<void>()
  const stop = inbox.subscribe(() => {
    void inbox.count().then((counts) => {
      if ((counts.get('done') ?? 0) + (counts.get('dead') ?? 0) < wanted) return
      stop()
      over.resolve()
    }, over.reject)
  })
  return over.promise
}

/** Every seventh task fails at first, every fifth one asks. */
async function measureHour(): Promise<Figure[]> {
  // The disk has no say in what is kept in memory.
  return withDatabase({ synchronous: 'normal' }, async (database) => {
    const clock = virtualClock()
    const { now } = clock
    const stores = sqliteStores(database, { now })
    const { inbox } = stores
    let requests = 0
    let calls = 0
    const worker = createWorker({
      ...stores,
      schedule: clock.schedule,
      createEngine: engines(
        () => ++requests % 7 === 0,
        () => ++calls % 5 === 0,
      ),
      onError: () => undefined,
    })
    worker.start()
    const sizes: number[] = []
    for (let number = 1; number <= HOUR_TASKS; number++) {
      const id = `t${number}`
      const dueAt = now() + EVERY_MS
      await inbox.add({ id, conversationId: `c${number % 200}-${number >> 9}`, input: 'And now?' })
      await workOff(id)
      while (now() < dueAt) clock.next(dueAt - now())
      if (number % 100 === 0) await inbox.forget(now() - KEPT_MS)
      if (number % (HOUR_TASKS / 4) === 0) sizes.push(heapSize())
    }
    const stopped = worker.stop()
    await settled()
    await stopped
    const [first = Number.NaN] = sizes
    const last = sizes.at(-1) ?? Number.NaN
    return [
      figure({
        name: 'heap of a worker after an hour of tasks',
        value: last / 2 ** 20,
        unit: 'MB',
      }),
      figure({
        name: 'heap of a worker, after an hour to after a quarter of one',
        value: last / first,
        unit: '×',
        budget: { of: 'value', atMost: 1.2 },
      }),
    ]

    /** Lets time go on until a task is over, with a yes to what it asks. */
    async function workOff(id: string): Promise<void> {
      for (;;) {
        await settled()
        const task = await inbox.get(id)
        if (task?.state === 'done') return
        if (task?.state === 'dead') throw new Error(`${id} is dead: ${task.error?.message}`)
        if (task?.state === 'parked') {
          await inbox.answer(id, { decisions: [{ toolCallId: 'call' }] })
        } else if (task?.state === 'queued') clock.next(60_000)
      }
    }
  })
}

/** All that does not wait for a timer has had its turn. */
async function settled(): Promise<void> {
  for (let count = 0; count < 5; count++) {
    await new Promise<void>((resolve) => void setImmediate(resolve))
  }
}

function heapSize(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}
