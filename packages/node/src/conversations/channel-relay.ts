import type { ChannelNews, ChannelPlace, ChannelTable, SaidOnChannel } from '@assent/engine/storage'
import { createFlight } from './flight.ts'

/** One who listens on a channel, and speaks. */
export interface ChannelEnd {
  /** To all others on the channel: at once to those in this process, soon to the others. */
  say(text: string): void
  leave(): void
}

/** What is told to who listens on a channel. */
export interface ChannelListener {
  onHeard(text: string): void
  /** Something that was said may not have been heard. */
  onMissed(): void
}

/** The channels of this process. */
export interface ChannelRelay {
  join(channel: string, listener: ChannelListener): ChannelEnd
}

interface Joined {
  readonly listeners: Set<ChannelListener>
  place: ChannelPlace | undefined
  /** Whether anybody is there in another process. */
  isHeardElsewhere: boolean
  /** Said before that was known. */
  early: string[]
}

/** For how long texts are gathered: one statement for all channels of the process. */
const WINDOW_MS = 10
/** How many texts wait at most while it cannot. */
const MOST_UNSAID = 1_000

const relays = new WeakMap<ChannelTable, ChannelRelay>()

/**
 * The relay of a table, one for the process: who speaks and who listens on a channel may be in different
 * processes. What nobody hears elsewhere is written nowhere.
 */
export function channelRelay(table: ChannelTable, onError: (error: unknown) => void): ChannelRelay {
  const known = relays.get(table)
  if (known) return known
  const relay = createRelay(table, onError)
  relays.set(table, relay)
  return relay
}

function createRelay(table: ChannelTable, onError: (error: unknown) => void): ChannelRelay {
  const { closed, beatMs } = table
  const channels = new Map<string, Joined>()
  const toJoin = new Set<string>()
  const toLeave = new Set<string>()
  const toRead = new Set<string>()
  const reading = createFlight(closed, onError, readAll)
  const writing = createFlight(closed, onError, writeAll)
  let toSay: SaidOnChannel[] = []
  let beat: NodeJS.Timeout | undefined
  let stopListening: (() => void) | undefined
  let seenAt = performance.now()

  async function readAll(): Promise<void> {
    if (toLeave.size > 0) await give(toLeave, (names) => table.leave(names))
    if (toJoin.size > 0) await give(toJoin, (names) => table.join(names))
    const asked = new Map<string, Joined>()
    for (const name of toRead) {
      const joined = channels.get(name)
      if (joined) asked.set(name, joined)
    }
    await give(toRead, async () => {
      if (asked.size === 0) return
      const places = new Map([...asked].map(([name, { place }]) => [name, place]))
      for (const news of await table.read(places)) {
        const joined = asked.get(news.channel)
        if (joined && channels.get(news.channel) === joined) hear(joined, news)
      }
    })
    if (toLeave.size + toJoin.size + toRead.size > 0) reading.begin(0)
  }

  function hear(joined: Joined, { channel, place, others, texts, isMissed }: ChannelNews): void {
    const isFirst = joined.place === undefined
    joined.place = place
    joined.isHeardElsewhere = others > 0
    if (isFirst) for (const text of joined.early.splice(0)) sayElsewhere(joined, channel, text)
    for (const listener of joined.listeners) {
      if (isMissed) listener.onMissed()
      for (const text of texts) listener.onHeard(text)
    }
  }

  async function writeAll(): Promise<void> {
    const said = toSay
    toSay = []
    try {
      if (said.length > 0) await table.add(said)
    } catch (error) {
      // It may have arrived: to hear something twice is like once.
      toSay = [...said, ...toSay]
      if (toSay.length > MOST_UNSAID) giveUp()
      throw error
    }
    if (toSay.length > 0) writing.begin(WINDOW_MS)
  }

  /** Nobody else hears what could not be said for so long: who speaks here says all of it again later. */
  function giveUp(): void {
    const names = new Set(toSay.map(({ channel }) => channel))
    toSay = []
    for (const name of names) {
      for (const listener of channels.get(name)?.listeners ?? []) listener.onMissed()
    }
  }

  function sayElsewhere(joined: Joined, channel: string, text: string): void {
    if (joined.place === undefined) joined.early.push(text)
    else if (joined.isHeardElsewhere) {
      toSay.push({ channel, text })
      writing.begin(WINDOW_MS)
    }
  }

  function look(names: Iterable<string>): void {
    for (const name of names) if (channels.has(name)) toRead.add(name)
    if (toRead.size > 0) reading.begin(0)
  }

  function begin(): void {
    if (beat || closed.aborted) return
    seenAt = performance.now()
    stopListening = table.onNews((names) => look(names ?? channels.keys()))
    beat = setInterval(() => {
      // Who stood still for so long was taken for gone: nobody has told it anything since.
      const wasGone = performance.now() - seenAt > beatMs * 2
      seenAt = performance.now()
      for (const [name, { listeners }] of channels) {
        toJoin.add(name)
        if (wasGone) for (const listener of listeners) listener.onMissed()
      }
      look(channels.keys())
    }, beatMs)
    beat.unref()
  }

  function end(): void {
    clearInterval(beat)
    beat = undefined
    stopListening?.()
  }

  closed.addEventListener('abort', end)

  return {
    join(channel, listener) {
      const joined = channels.get(channel) ?? {
        listeners: new Set(),
        place: undefined,
        isHeardElsewhere: false,
        early: [],
      }
      // The same one may listen twice.
      const own: ChannelListener = {
        onHeard: (text) => listener.onHeard(text),
        onMissed: () => listener.onMissed(),
      }
      joined.listeners.add(own)
      if (!channels.has(channel)) {
        channels.set(channel, joined)
        toLeave.delete(channel)
        toJoin.add(channel)
        begin()
        look([channel])
      }
      return {
        say(text) {
          if (!joined.listeners.has(own)) return
          for (const other of joined.listeners) if (other !== own) other.onHeard(text)
          sayElsewhere(joined, channel, text)
        },
        leave() {
          if (!joined.listeners.delete(own) || joined.listeners.size > 0) return
          channels.delete(channel)
          toJoin.delete(channel)
          toLeave.add(channel)
          // After what it said last.
          writing.over(() => reading.begin(0))
          if (channels.size === 0) end()
        },
      }
    },
  }
}

/** Gives what has gathered; it stays for the next time when that fails. */
async function give(
  names: Set<string>,
  run: (names: readonly string[]) => Promise<void>,
): Promise<void> {
  const given = [...names]
  names.clear()
  try {
    await run(given)
  } catch (error) {
    for (const name of given) names.add(name)
    throw error
  }
}
