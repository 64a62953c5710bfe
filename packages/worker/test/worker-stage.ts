import {
  createMessageEngine,
  toolPlugin,
  type MessageEngine,
  type ToolPluginOptions,
} from '@assent/engine'
import {
  answer,
  scriptedTransport,
  type RecordedRequest,
  type ScriptedAnswer,
  type ScriptedTransport,
} from '@assent/engine/testing'
import { type AssentDatabase, openDatabase } from '@assent/node'
import { jsonSchema, tool, type ToolSet } from 'ai'
import { vi } from 'vitest'
import { createWorker, type Worker, type WorkerOptions } from '../src/create-worker.ts'
import type { Task, TaskState } from '../src/inbox.ts'
import { sqliteStores, type SqliteStores } from '../src/sqlite-stores.ts'
import type { TaskReply } from '../src/worker-parts.ts'

/** What is said to a request: by default the last text of the person, with a word before it. */
export type Model = (request: RecordedRequest) => ScriptedAnswer | Promise<ScriptedAnswer>

/** Workers on one database in memory, with a model that a test makes, on a clock that it moves. */
export interface WorkerStage {
  readonly database: AssentDatabase
  readonly stores: SqliteStores
  readonly inbox: SqliteStores['inbox']
  readonly transport: ScriptedTransport
  /** All replies that were handed over, as `task: text`, with `again ` before one that may be repeated. */
  readonly said: string[]
  readonly replies: TaskReply[]
  readonly errors: unknown[]
  readonly engines: MessageEngine[]
  /** Makes another worker; `work` also starts it. */
  make(options?: Partial<WorkerOptions>): Worker
  work(options?: Partial<WorkerOptions>): Worker
  /** Adds tasks with texts to one conversation, `chat`: their ids are their texts. */
  ask(...texts: string[]): Promise<void>
  task(id: string): Promise<Task>
  /** Lets time go on until tasks are in a state. */
  until(state: TaskState, ...ids: string[]): Promise<void>
  /** Lets time go on until something holds. */
  untilTrue(what: () => boolean | Promise<boolean>): Promise<void>
  /** The phases of a task that were written down, in order. */
  audited(taskId: string): unknown[]
  close(): Promise<void>
}

export interface StageOptions extends Pick<
  ToolPluginOptions,
  'tools' | 'toolApproval' | 'toolOptions' | 'gate'
> {
  readonly model?: Model
  readonly maxAttempts?: number
  /** The clock of the stores. Default: that of the worker. */
  readonly now?: () => number
}

/** Fake timers have to be there. */
export function setStage({
  model = echo,
  maxAttempts,
  now,
  ...tools
}: StageOptions = {}): WorkerStage {
  const database = openDatabase(':memory:')
  const stores = sqliteStores(database, {
    ...(maxAttempts !== undefined && { maxAttempts }),
    ...(now && { now }),
  })
  const { inbox } = stores
  const transport = scriptedTransport(Array.from({ length: 500 }, () => model))
  const workers: Worker[] = []
  const said: string[] = []
  const replies: TaskReply[] = []
  const errors: unknown[] = []
  const engines: MessageEngine[] = []

  function make(options: Partial<WorkerOptions> = {}): Worker {
    const worker = createWorker({
      ...stores,
      createEngine({ conversationId, storage, plugins, onError }) {
        const plugin = toolPlugin({ durable: 'required', defaultApproval: 'approved', ...tools })
        const engine = createMessageEngine({
          id: conversationId,
          storage,
          transport,
          plugins: [...plugins, plugin],
          onError,
        })
        engines.push(engine)
        return engine
      },
      onReply(reply) {
        replies.push(reply)
        said.push(`${reply.mayBeRepeated ? 'again ' : ''}${reply.task.id}: ${reply.text}`)
      },
      onError: (error) => errors.push(error),
      random: () => 0.999,
      ...options,
    })
    workers.push(worker)
    return worker
  }

  async function task(id: string): Promise<Task> {
    const found = await inbox.get(id)
    if (!found) throw new Error(`There is no task ${id}.`)
    return found
  }

  async function untilTrue(what: () => boolean | Promise<boolean>): Promise<void> {
    for (let rounds = 0; rounds < 10_000; rounds++) {
      if (await what()) return
      await vi.advanceTimersByTimeAsync(20)
      await new Promise<void>((resolve) => void setImmediate(resolve))
    }
    const tasks = JSON.stringify(await inbox.list())
    throw new Error(`It did not come to that. Tasks: ${tasks}. Errors: ${errors.join('; ')}`)
  }

  return {
    database,
    stores,
    inbox,
    transport,
    said,
    replies,
    errors,
    engines,
    make,
    work(options) {
      const worker = make(options)
      worker.start()
      return worker
    },
    async ask(...texts) {
      for (const text of texts) await inbox.add({ id: text, conversationId: 'chat', input: text })
    },
    task,
    until: (state, ...ids) =>
      untilTrue(async () => {
        const tasks = await Promise.all(ids.map(task))
        return tasks.every((one) => one.state === state)
      }),
    untilTrue,
    audited: (taskId) =>
      database.sqlite
        .prepare('SELECT phase FROM task_audit WHERE task_id = ? ORDER BY seq')
        .all(taskId)
        .map(({ phase }) => phase),
    async close() {
      const stopped = Promise.all(workers.map((worker) => worker.stop({ graceMs: 0 })))
      await vi.advanceTimersByTimeAsync(200)
      await stopped
      database.close()
    },
  }
}

/** The last text of the person in a request. */
export function lastText({ messages }: RecordedRequest): string {
  const last = messages.findLast(({ role }) => role === 'user')
  return last?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? ''
}

/** Whether the last message is the model's own: its calls have results now. */
export function isAfterCalls({ messages }: RecordedRequest): boolean {
  return messages.at(-1)?.role === 'assistant'
}

const echo: Model = (request) => answer(`You said ${lastText(request)}`)

/** A tool that notes what it did. */
export function noting(
  run: (input: unknown, abortSignal: AbortSignal | undefined) => unknown,
): ToolSet[string] {
  return tool({
    inputSchema: jsonSchema({ type: 'object' }),
    execute: async (input, { abortSignal }) => run(input, abortSignal),
  })
}
