import { randomInt, randomUUID } from 'node:crypto'
import type { ChannelNews, ChannelPlace, ChannelTable } from '@assent/engine/storage'
import { encodeName } from './names.ts'
import type { AssentDatabase } from './open-database.ts'

/** How often a process says that it listens; it counts as gone after three times that. */
const BEAT_MS = 5_000
/** Milliseconds between two looks at whether another process has written: it costs no read of the file. */
const LOOK_MS = 50
/** How long is kept what was said. */
const KEEP_MS = 60_000

const tables = new WeakMap<AssentDatabase, ChannelTable>()

/** The channels of a database: other processes are heard by looking whether the file has changed. */
export function channelTable(database: AssentDatabase): ChannelTable {
  const known = tables.get(database)
  if (known) return known
  const table = createTable(database)
  tables.set(database, table)
  return table
}

function createTable(database: AssentDatabase): ChannelTable {
  const { sqlite, closed } = database
  const process = randomUUID()
  const asking = sqlite.prepare('PRAGMA data_version')
  const make = sqlite.prepare(
    'INSERT INTO conversation_channels (channel, born, last_seq) VALUES (?, ?, 0) ON CONFLICT DO NOTHING',
  )
  const enter = sqlite.prepare(
    `INSERT INTO channel_members (channel, process, until) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET until = excluded.until`,
  )
  const leave = sqlite.prepare('DELETE FROM channel_members WHERE channel = ? AND process = ?')
  const count = sqlite.prepare(
    'UPDATE conversation_channels SET last_seq = last_seq + 1 WHERE channel = ? RETURNING last_seq',
  )
  const say = sqlite.prepare(
    'INSERT INTO channel_messages (channel, seq, process, text, said_at) VALUES (?, ?, ?, ?, ?)',
  )
  const find = sqlite.prepare(
    `SELECT born, last_seq, (SELECT count(*) FROM channel_members m
       WHERE m.channel = c.channel AND m.process <> ? AND m.until > ?) AS others
     FROM conversation_channels c WHERE channel = ?`,
  )
  const after = sqlite.prepare(
    'SELECT process, text FROM channel_messages WHERE channel = ? AND seq > ? ORDER BY seq',
  )
  const tidying = [
    'DELETE FROM channel_messages WHERE said_at <= ?',
    'DELETE FROM channel_members WHERE until <= ?',
  ].map((sql) => sqlite.prepare(sql))
  const forget = sqlite.prepare(
    `DELETE FROM conversation_channels WHERE NOT EXISTS
       (SELECT 1 FROM channel_members m WHERE m.channel = conversation_channels.channel)`,
  )
  let tidiedAt = -Infinity

  const relaxed = (run: () => void): Promise<void> =>
    database.transaction(run, { durability: 'relaxed' })

  function tidy(now: number): void {
    if (now - tidiedAt < KEEP_MS) return
    tidiedAt = now
    for (const statement of tidying) statement.run(now - KEEP_MS)
    forget.run()
  }

  function readOne(channel: string, place: ChannelPlace | undefined): ChannelNews | undefined {
    const name = encodeName(channel)
    const row = find.get(process, Date.now(), name)
    if (!row) return undefined
    const now = { born: Number(row['born']), seq: Number(row['last_seq']) }
    const others = Number(row['others'])
    if (place?.born !== now.born) {
      return { channel, place: now, others, texts: [], isMissed: place !== undefined }
    }
    const said = place.seq === now.seq ? [] : after.all(name, place.seq)
    return {
      channel,
      place: now,
      others,
      texts: said
        .filter((one) => one['process'] !== process)
        .map((one) => String(JSON.parse(String(one['text'])))),
      isMissed: said.length < now.seq - place.seq,
    }
  }

  return {
    beatMs: BEAT_MS,
    closed,
    async join(channels) {
      await relaxed(() => {
        const now = Date.now()
        for (const channel of channels) {
          const name = encodeName(channel)
          make.run(name, randomInt(2 ** 47))
          enter.run(name, process, now + 3 * BEAT_MS)
        }
        tidy(now)
      })
    },
    async leave(channels) {
      await relaxed(() => {
        for (const channel of channels) leave.run(encodeName(channel), process)
      })
    },
    async add(said) {
      await relaxed(() => {
        const now = Date.now()
        for (const { channel, text } of said) {
          const name = encodeName(channel)
          make.run(name, randomInt(2 ** 47))
          const seq = Number(count.get(name)?.['last_seq'])
          // As JSON, which keeps halves of characters.
          say.run(name, seq, process, JSON.stringify(text), now)
        }
      })
    },
    async read(places) {
      return [...places].flatMap(([channel, place]) => readOne(channel, place) ?? [])
    },
    onNews(listener) {
      let version: unknown
      const timer = setInterval(() => {
        try {
          const now = asking.get()?.['data_version']
          if (now === version) return
          version = now
        } catch {
          // What cannot be read now is looked at again.
          return
        }
        listener(undefined)
      }, LOOK_MS).unref()
      const stop = (): void => clearInterval(timer)
      closed.addEventListener('abort', stop)
      return () => {
        stop()
        closed.removeEventListener('abort', stop)
      }
    },
  }
}
