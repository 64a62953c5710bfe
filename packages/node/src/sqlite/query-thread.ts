import { basename } from 'node:path'
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite'
import { setImmediate } from 'node:timers'
import { Worker } from 'node:worker_threads'
import { DatabaseError, toDatabaseError } from './database-error.ts'

/** A statement that only reads. */
export interface Query {
  readonly sql: string
  readonly values?: readonly SQLInputValue[]
}

/** A row that was found, by the names of its columns. */
export type FoundRow = Record<string, SQLOutputValue>

/** Takes some rows of a query; the others follow, each time after everybody else had a turn. */
export type TakeRows = (rows: readonly FoundRow[], query: number) => void

/** A database as the thread has it open: by a connection of its own, which only reads. */
export interface QueryConnection {
  /** The rows of each query, by its place, all as they are at one moment; a few at a time. */
  ask(queries: readonly Query[], take: TakeRows): Promise<void>
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
  /** Some of the rows that were found, by one of the queries. */
  readonly rows?: FoundRow[]
  readonly query?: number
  /** Nothing follows; else the rest comes when it is asked for. */
  readonly isLast?: boolean
  readonly error?: { readonly message: string; readonly code?: string; readonly errcode?: number }
}

/** The most rows, and about the most characters, that the thread answers with at once. */
const SLICE_ROWS = 500
const SLICE_LENGTH = 250_000

/** As a text and with nothing but Node's own modules, so that no bundler has to find a file for it. */
const SOURCE = `
'use strict'
const { parentPort } = require('node:worker_threads')
process.removeAllListeners('warning')
const { DatabaseSync } = require('node:sqlite')
const connections = new Map()
// What was found and is still to be fetched, by the id of the request.
const found = new Map()
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
function lengthOf(row) {
  let length = 0
  for (const value of Object.values(row)) length += value?.length ?? 0
  return length
}
function answer(id, one) {
  const { all } = one
  while (one.query < all.length - 1 && one.from >= all[one.query].length) {
    one.query++
    one.from = 0
  }
  const { query, from } = one
  const rows = all[query] ?? []
  let length = 0
  while (one.from < rows.length && one.from < from + ${SLICE_ROWS} && length < ${SLICE_LENGTH}) {
    length += lengthOf(rows[one.from++])
  }
  const isLast = one.from >= rows.length && query >= all.length - 1
  if (isLast) found.delete(id)
  else found.set(id, one)
  parentPort.postMessage({ id, query, rows: rows.slice(from, one.from), isLast })
}
parentPort.on('message', (request) => {
  const { id, database, queries } = request
  try {
    if (database === undefined) {
      if (found.has(id)) answer(id, found.get(id))
      return
    }
    if (queries) return answer(id, { database, all: read(connect(request), queries), query: 0, from: 0 })
    for (const [other, one] of found) if (one.database === database) found.delete(other)
    connections.get(database)?.close()
    connections.delete(database)
    parentPort.postMessage({ id, rows: [], query: 0, isLast: true })
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
  interface Waiting extends PromiseWithResolvers<void> {
    readonly path: string
    readonly database: number
    readonly take: TakeRows
  }
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let lastId = 0
  let lastDatabase = 0

  function started(): Worker {
    if (worker) return worker
    const one = start(startWorker)
    one.on('message', ({ id, rows, query = 0, isLast = true, error }: Answer) => {
      const { resolve, reject, take, path } = waiting.get(id) ?? {}
      if (rows && rows.length > 0) take?.(rows, query)
      if (rows && !isLast && take) {
        // What is there already would be taken in this very turn.
        setImmediate(() => one.postMessage({ id }, []))
        return
      }
      waiting.delete(id)
      // Who waits for an answer keeps the process alive, the thread does not.
      if (waiting.size === 0) one.unref()
      if (rows) resolve?.()
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

  function send(request: Omit<Request, 'id'>, take: TakeRows): Promise<void> {
    const one = started()
    const { database, path } = request
    const answer: Waiting = { ...Promise.withResolvers<void>(), database, path, take }
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
        ask: async (queries, take) => send({ ...connection, queries }, take),
        async close() {
          for (const [id, { database, reject }] of waiting) {
            if (database !== connection.database) continue
            waiting.delete(id)
            reject(
              new DatabaseError('database_closed', `${nameOf(path)} was closed; open it again.`),
            )
          }
          // A thread that has ended has let it go.
          if (worker) await send(connection, () => undefined).catch(() => undefined)
        },
      }
    },
  }
}

function nameOf(path = 'the database'): string {
  return basename(path)
}

const threads = new Map<string, QueryThread>()

/** The one thread of this process for a kind of queries: what takes long does not hold up the others. */
export function queryThread(kind: 'records' | 'search'): QueryThread {
  const known = threads.get(kind)
  if (known) return known
  const thread = createQueryThread()
  threads.set(kind, thread)
  return thread
}
