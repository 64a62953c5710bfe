import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'

/** A connection that hears bells, and comes back when it is lost. */
export interface Listener {
  /** Resolves when it listens, or the connection is lost: when that is back it listens too. */
  listen(channel: string): Promise<void>
  unlisten(channel: string): void
  close(): Promise<void>
}

/** What a listener is made with. */
export interface ListenerOptions {
  readonly url: string
  readonly onHeard: (channel: string, payload: string) => void
  /** It listens from now on, to all channels: what was told before was not heard. Also when it is back. */
  readonly onListening: () => void
  /** It hears nothing, until it is back. */
  readonly onLost: (error: unknown) => void
}

/** How often the connection is asked for a sign of life, and how long that may take. */
const SIGN_MS = 10_000
const ANSWER_MS = 5_000
/** The longest time until it tries to come back; the first is a hundredth of it. */
const LONGEST_REST_MS = 10_000

/** Begins to listen, and goes on until it is closed. It never begins a transaction: that would hold up the bells of all. */
export function createListener({ url, onHeard, onListening, onLost }: ListenerOptions): Listener {
  const channels = new Set<string>()
  const closing = new AbortController()
  const { signal } = closing
  let current: Client | undefined

  /** Resolves when the connection is lost, with what it died of. */
  async function connect(): Promise<unknown> {
    const client = new Client({
      connectionString: url,
      keepAlive: true,
      connectionTimeoutMillis: SIGN_MS,
      query_timeout: ANSWER_MS,
      application_name: 'assent listener',
    })
    const lost = new Promise<unknown>((resolve) => {
      client.on('error', resolve)
      client.on('end', () => resolve(new Error('The connection that listens has ended.')))
      signal.addEventListener('abort', resolve)
    })
    client.on('notification', ({ channel, payload = '' }) => onHeard(channel, payload))
    try {
      await client.connect()
      current = client
      for (const channel of channels) await client.query(`listen ${channel}`)
      onListening()
      for (;;) {
        const over = new AbortController()
        const died = await Promise.race([
          lost.then((reason) => ({ reason })),
          wait(SIGN_MS, undefined, { ref: false, signal: over.signal }).catch(() => undefined),
        ])
        over.abort()
        if (died) return died.reason
        await client.query('select 1')
      }
    } catch (error) {
      return error
    } finally {
      current = undefined
      // One that does not answer is not waited for.
      void client.end().catch(() => undefined)
    }
  }

  async function stay(): Promise<void> {
    for (let tries = 0; !signal.aborted; tries++) {
      const began = performance.now()
      const error = await connect()
      if (signal.aborted) return
      onLost(error)
      if (performance.now() - began > SIGN_MS) tries = 0
      const rest = Math.min(LONGEST_REST_MS, (LONGEST_REST_MS / 100) * 2 ** tries)
      // Those who were cut off together do not come back together.
      await wait(rest * (0.5 + Math.random() / 2), undefined, { signal, ref: false }).catch(
        () => undefined,
      )
    }
  }

  /** What fails here is listened to when the connection is back. */
  async function say(sql: string): Promise<void> {
    await current?.query(sql).catch(() => undefined)
  }

  const over = stay()
  return {
    async listen(channel) {
      if (channels.has(channel)) return
      channels.add(channel)
      await say(`listen ${channel}`)
    },
    unlisten(channel) {
      if (channels.delete(channel)) void say(`unlisten ${channel}`)
    },
    async close() {
      closing.abort()
      await over
    },
  }
}
