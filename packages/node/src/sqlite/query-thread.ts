import { basename } from 'node:path'
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { DatabaseError, toDatabaseError } from './database-error.ts'

/** A statement that only reads. */
export interface Query {
  readonly sql: string
  readonly values?: readonly SQLInputValue[]
}

/** A row that was found, by the names of its columns. */
export type FoundRow = Record<string, SQLOutputValue>

/** A database as the thread has it open: by a connection of its own, which only reads. */
export interface QueryConnection {
  /** The rows of each query, all as they are at one moment. */
  ask(queries: readonly Query[]): Promise<FoundRow[][]>
  /** What is asked fails from now on; resolves when the file is let go. */
  close(): Promise<void>
}

/** A thread that reads databases, so that a long query holds up nobody else of the process. */
export interface QueryThread {
  connect(path: string, timeoutMs: number): QueryConnection
}

/** What the thread is told: to read a database, or to let it go. */
interface Request {
  readonly id: number
  readonly database: number
  readonly path: string
  readonly timeoutMs: number
  readonly queries?: readonly Query[]
}

interface Answer {
  readonly id: number
  readonly rows?: FoundRow[][]
  readonly error?: { readonly message: string; readonly code?: string; readonly errcode?: number }
}

/** As a text and with nothing but Node's own modules, so that no bundler has to find a file for it. */
const SOURCE = `
'use strict'
const { parentPort } = require('node:worker_threads')
process.removeAllListeners('warning')
const { DatabaseSync } = require('node:sqlite')
const connections = new Map()
function connect({ database, path, timeoutMs }) {
  const known = connections.get(database)
  if (known) return known
  const connection = new DatabaseSync(path, { readOnly: true, timeout: timeoutMs })
  connections.set(database, connection)
  return connection
}
function read(connection, queries) {
  connection.exec('BEGIN')
  try {
    return queries.map(({ sql, values = [] }) => connection.prepare(sql).all(...values))
  } finally {
    connection.exec('COMMIT')
  }
}
parentPort.on('message', (request) => {
  const { id, database, queries } = request
  try {
    if (queries) return parentPort.postMessage({ id, rows: read(connect(request), queries) })
    connections.get(database)?.close()
    connections.delete(database)
    parentPort.postMessage({ id, rows: [] })
  } catch ({ message, code, errcode }) {
    parentPort.postMessage({ id, error: { message, code, errcode } })
  }
})
`

function startWorker(): Worker {
  return new Worker(SOURCE, { eval: true, execArgv: [], name: 'assent-queries' })
}

/** @param start starts the thread, when it is asked something and has not been started, or has ended */
export function createQueryThread(
  start: (startThread: () => Worker) => Worker = (startThread) => startThread(),
): QueryThread {
  interface Waiting extends PromiseWithResolvers<FoundRow[][]> {
    readonly path: string
    readonly database: number
  }
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let lastId = 0
  let lastDatabase = 0

  function started(): Worker {
    if (worker) return worker
    const one = start(startWorker)
    one.on('message', ({ id, rows, error }: Answer) => {
      const { resolve, reject, path } = waiting.get(id) ?? {}
      waiting.delete(id)
      // Who waits for an answer keeps the process alive, the thread does not.
      if (waiting.size === 0) one.unref()
      if (rows) resolve?.(rows)
      else reject?.(toDatabaseError(Object.assign(new Error(error?.message), error), nameOf(path)))
    })
    const end = (cause?: unknown): void => {
      if (worker !== one) return
      worker = undefined
      for (const { path, reject } of waiting.values()) {
        const text = `The thread that reads ${nameOf(path)} has ended; ask again.`
        reject(new DatabaseError('database_unreadable', text, { cause }))
      }
      waiting.clear()
    }
    one.on('error', end)
    one.on('exit', () => end())
    worker = one
    return one
  }

  function send(request: Omit<Request, 'id'>): Promise<FoundRow[][]> {
    const one = started()
    const { database, path } = request
    const answer: Waiting = { ...Promise.withResolvers<FoundRow[][]>(), database, path }
    const message: Request = { ...request, id: ++lastId }
    one.postMessage(message, [])
    waiting.set(lastId, answer)
    one.ref()
    return answer.promise
  }

  return {
    connect(path, timeoutMs) {
      const connection = { database: ++lastDatabase, path, timeoutMs }
      return {
        ask: async (queries) => send({ ...connection, queries }),
        async close() {
          for (const { database, reject } of waiting.values()) {
            if (database !== connection.database) continue
            reject(
              new DatabaseError('database_closed', `${nameOf(path)} was closed; open it again.`),
            )
          }
          // A thread that has ended has let it go.
          if (worker) await send(connection).catch(() => undefined)
        },
      }
    },
  }
}

function nameOf(path = 'the database'): string {
  return basename(path)
}

let shared: QueryThread | undefined

/** The one thread of this process. */
export function queryThread(): QueryThread {
  return (shared ??= createQueryThread())
}
