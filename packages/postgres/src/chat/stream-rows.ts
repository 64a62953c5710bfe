import { createHash, randomUUID } from 'node:crypto'
import { decodeName, encodeName } from '@assent/engine/storage'
import type { StopCause } from '@assent/node'
import type { AssentPostgres, Row } from '../open-postgres.ts'
import { sweepProcesses } from '../processes.ts'

/** For how long the writer of a stream is not taken for gone without a sign of life. */
export const LEASE_MS = 15_000

/** A stream as the database knows it. */
export interface StreamRow {
  readonly id: number
  readonly requestId: string | undefined
  readonly isOpen: boolean
  /** It came to its end: whoever wrote it said so. */
  readonly isWhole: boolean
  readonly isDropped: boolean
  /** Its writer has given no sign of life within its lease, and nobody has said so. */
  readonly isLapsed: boolean
  readonly lastSeq: number
  readonly stop: StopCause | undefined
  /** In how many other processes it is read. */
  readonly readers: number
}

/** Some events of a stream. */
export interface EventRow {
  readonly id: number
  readonly seq: number
  readonly data: Buffer
}

/** The tables of streams, as one process uses them. */
export interface StreamRows {
  /** The id of a new stream; `undefined` while the latest of the conversation is open. */
  open(key: string, requestId: string | undefined): Promise<number | undefined>
  /** The latest one of a conversation that is open, or has ended within `keepMs`. */
  find(key: string, keepMs: number): Promise<StreamRow | undefined>
  look(ids: readonly number[]): Promise<readonly StreamRow[]>
  /** What comes after a place in each of these. */
  readAfter(places: ReadonlyMap<number, number>): Promise<readonly EventRow[]>
  /** Answers the streams that this process may still write. */
  append(events: readonly EventRow[]): Promise<ReadonlySet<number>>
  /** Says that these are still written, and how far; answers those of which that is true. */
  renew(places: ReadonlyMap<number, number>): Promise<ReadonlySet<number>>
  end(id: number, lastSeq: number, isDropped: boolean): Promise<void>
  /** Says that the writer of one is gone, if it is. */
  lose(id: number): Promise<void>
  /** Ends the leases of writers that are gone: to be called again and again. */
  sweep(): Promise<void>
  stop(id: number, cause: StopCause): Promise<void>
  /** This process reads these. */
  read(ids: readonly number[]): Promise<void>
  leave(ids: readonly number[]): Promise<void>
  tidy(keepMs: number): Promise<void>
}

export function streamRows(database: AssentPostgres): StreamRows {
  const { query, news } = database
  // Each store of the process is another writer; by what comes first is known whether it is there.
  const process = `${database.process}/${randomUUID()}`
  const columns = `
    s.id::float8 as id, s.request_id, s.ended, s.is_dropped, s.until > assent.clock_v1() as is_alive,
    s.last_seq::float8 as last_seq, s.stop,
    (select count(*)::int from assent.stream_readers r where r.stream_id = s.id
      and r.process <> $1 and r.until > assent.clock_v1()) as readers`
  const ring = (id: number): void => news.ring('assent_streams', String(id))

  return {
    async open(key, requestId) {
      const [row] = await query('select assent.open_stream_v1($1, $2, $3, $4)::float8 as id', [
        hashOf(key),
        requestId === undefined ? null : encodeName(requestId),
        process,
        LEASE_MS,
      ])
      return typeof row?.['id'] === 'number' ? row['id'] : undefined
    },
    async find(key, keepMs) {
      const [row] = await query(
        `select ${columns} from assent.streams s
         where s.key = $2 and s.is_latest
           and (s.ended is null or s.ended_at > assent.clock_v1() - $3)`,
        [process, hashOf(key), keepMs],
      )
      return row && toStream(row)
    },
    async look(ids) {
      const rows = await query(`select ${columns} from assent.streams s where s.id = any ($2)`, [
        process,
        ids,
      ])
      return rows.map(toStream)
    },
    async readAfter(places) {
      const rows = await query(
        `select e.stream_id::float8 as id, e.seq::float8 as seq, e.data
         from unnest($1::bigint[], $2::bigint[]) as p (id, seq)
           join assent.stream_events e on e.stream_id = p.id and e.seq > p.seq
         order by e.stream_id, e.seq`,
        [[...places.keys()], [...places.values()]],
      )
      return rows.map((row) => ({
        id: Number(row['id']),
        seq: Number(row['seq']),
        data: Buffer.isBuffer(row['data']) ? row['data'] : Buffer.alloc(0),
      }))
    },
    async append(events) {
      const ids = events.map(({ id }) => id)
      const rows = await query('select assent.append_events_v1($1, $2, $3, $4, $5) as id', [
        process,
        ids,
        events.map(({ seq }) => seq),
        events.map(({ data }) => data),
        news.payloadsOf(new Set(ids.map(String))),
      ])
      return idsOf(rows)
    },
    async renew(places) {
      const rows = await query(
        `update assent.streams s set until = assent.clock_v1() + $4, last_seq = p.seq
         from unnest($2::bigint[], $3::bigint[]) as p (id, seq)
         where s.id = p.id and s.writer = $1 and s.ended is null returning s.id::float8 as id`,
        [process, [...places.keys()], [...places.values()], LEASE_MS],
      )
      return idsOf(rows)
    },
    async end(id, lastSeq, isDropped) {
      await query(
        `update assent.streams
         set ended = 'ended', ended_at = assent.clock_v1(), last_seq = $3, is_dropped = $4
         where id = $2 and writer = $1 and ended is null`,
        [process, id, lastSeq, isDropped],
      )
      ring(id)
    },
    async lose(id) {
      await query(
        `update assent.streams set ended = 'lost', ended_at = assent.clock_v1()
         where id = $1 and ended is null and until <= assent.clock_v1()`,
        [id],
      )
      ring(id)
    },
    sweep: () => sweepProcesses(database),
    async stop(id, cause) {
      // The first one stands, but who asks is heard over who only leaves.
      await query(
        `update assent.streams set stop = $2
         where id = $1 and ended is null and (stop is null or $2 = 'asked')`,
        [id, cause],
      )
      ring(id)
    },
    async read(ids) {
      await query(
        `insert into assent.stream_readers (stream_id, process, until)
         select id, $1, assent.clock_v1() + $3 from unnest($2::bigint[]) as id order by id
         on conflict (stream_id, process) do update set until = excluded.until`,
        [process, ids, LEASE_MS],
      )
      for (const id of ids) ring(id)
    },
    async leave(ids) {
      await query(
        'delete from assent.stream_readers where stream_id = any ($1::bigint[]) and process = $2',
        [ids, process],
      )
      for (const id of ids) ring(id)
    },
    async tidy(keepMs) {
      await query('select assent.tidy_streams_v1($1)', [keepMs])
    },
  }
}

/** A short name for a key, which names a person as well. */
export function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url')
}

function idsOf(rows: readonly Row[]): Set<number> {
  return new Set(rows.map((row) => Number(row['id'])))
}

function toStream(row: Row): StreamRow {
  const [ended, requestId, stop] = [row['ended'], row['request_id'], row['stop']]
  return {
    id: Number(row['id']),
    requestId: typeof requestId === 'string' ? decodeName(requestId) : undefined,
    isOpen: ended === null,
    isWhole: ended === 'ended',
    isDropped: row['is_dropped'] === true || ended === 'lost',
    isLapsed: ended === null && row['is_alive'] !== true,
    lastSeq: Number(row['last_seq']),
    stop: stop === 'asked' || stop === 'left' ? stop : undefined,
    readers: Number(row['readers']),
  }
}
