import { randomUUID } from 'node:crypto'
import {
  encodeName,
  type ChannelNews,
  type ChannelPlace,
  type ChannelTable,
} from '@assent/engine/storage'
import type { AssentPostgres, Row } from '../open-postgres.ts'
import { bellOf } from './bell-of.ts'

/** How often a process says that it listens; it counts as gone after three times that. */
const BEAT_MS = 5_000
/** How long is kept what was said. */
const KEEP_MS = 60_000

/** What of each channel was said after a place, and by whom else it is listened to. */
const READ = `
  select p.channel, c.born::float8 as born, c.last_seq::float8 as last_seq,
    (select count(*)::int from assent.channel_members o
      where o.channel = p.channel and o.process <> $1 and o.until > assent.clock_v1()) as others,
    m.seq::float8 as seq, m.process <> $1 as is_theirs,
    case when m.process <> $1 then m.body end as body
  from unnest($2::text[], $3::bigint[], $4::bigint[]) as p (channel, born, seq)
    join assent.channels c on c.channel = p.channel
    left join assent.channel_messages m
      on m.channel = p.channel and c.born = p.born and m.seq > p.seq
  order by p.channel, m.seq`

const tables = new WeakMap<AssentPostgres, ChannelTable>()

/** The channels of a database. Who says something rings a bell without it, and the others fetch it. */
export function channelTable(database: AssentPostgres): ChannelTable {
  const known = tables.get(database)
  if (known) return known
  const table = createTable(database)
  tables.set(database, table)
  return table
}

function createTable({ query, news, closed }: AssentPostgres): ChannelTable {
  const process = randomUUID()
  /** The channels that this process listens to, by their hashes. */
  const names = new Map<string, string>()
  let tidiedAt = -Infinity

  const hash = (channel: string): string => bellOf(encodeName(channel))

  async function tidy(): Promise<void> {
    if (performance.now() - tidiedAt < KEEP_MS) return
    tidiedAt = performance.now()
    await query('select assent.tidy_channels_v1($1)', [KEEP_MS])
  }

  return {
    beatMs: BEAT_MS,
    closed,
    async join(channels) {
      const hashes = channels.map(hash)
      const added = hashes.filter((one) => !names.has(one))
      for (const [index, one] of hashes.entries()) names.set(one, channels[index] ?? '')
      await query('select assent.join_channels_v1($1, $2, $3)', [process, hashes, 3 * BEAT_MS])
      // Those who talk to nobody elsewhere hear that somebody is there.
      for (const one of added) news.ring('assent_channels', one)
      await tidy()
    },
    async leave(channels) {
      const hashes = channels.map(hash)
      for (const one of hashes) names.delete(one)
      await query('delete from assent.channel_members where process = $1 and channel = any ($2)', [
        process,
        hashes,
      ])
    },
    async add(said) {
      const hashes = said.map(({ channel }) => hash(channel))
      await query('select assent.say_on_channels_v1($1, $2, $3, $4)', [
        process,
        hashes,
        // As JSON: PostgreSQL refuses U+0000, which a page may send.
        said.map(({ text }) => JSON.stringify(text)),
        news.payloadsOf(new Set(hashes)),
      ])
    },
    async read(places) {
      const asked = new Map(
        [...places].map(([channel, place]) => [hash(channel), { channel, place }]),
      )
      const rows = await query(READ, [
        process,
        [...asked.keys()],
        [...asked.values()].map(({ place }) => place?.born ?? -1),
        [...asked.values()].map(({ place }) => place?.seq ?? 0),
      ])
      const byChannel = Map.groupBy(rows, (row) => String(row['channel']))
      return [...asked].flatMap(([one, { channel, place }]) => {
        const found = byChannel.get(one)
        return found ? toNews(channel, place, found) : []
      })
    },
    onNews(listener) {
      const stopHearing = news.on('assent_channels', {
        onRung(rung) {
          const own = [...rung].flatMap((one) => names.get(one) ?? [])
          if (own.length > 0) listener(own)
        },
        onMissed: () => listener(undefined),
      })
      let timer: NodeJS.Timeout
      const look = (): void => {
        listener(undefined)
        plan()
      }
      const plan = (): void => {
        timer = setTimeout(look, news.patienceMs).unref()
      }
      plan()
      const stop = (): void => {
        clearTimeout(timer)
        stopHearing()
      }
      closed.addEventListener('abort', stop)
      return () => {
        closed.removeEventListener('abort', stop)
        stop()
      }
    },
  }
}

function toNews(
  channel: string,
  place: ChannelPlace | undefined,
  rows: readonly Row[],
): ChannelNews | [] {
  const [first] = rows
  if (!first) return []
  const now = { born: Number(first['born']), seq: Number(first['last_seq']) }
  const others = Number(first['others'])
  if (place?.born !== now.born) {
    return { channel, place: now, others, texts: [], isMissed: place !== undefined }
  }
  const said = rows.filter((row) => row['seq'] !== null)
  return {
    channel,
    place: now,
    others,
    texts: said.flatMap((row) => (row['is_theirs'] === true ? [textOf(row['body'])] : [])),
    isMissed: said.length < now.seq - place.seq,
  }
}

function textOf(body: unknown): string {
  return String(JSON.parse(String(body)))
}
