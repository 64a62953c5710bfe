import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import type { AskSession } from './session.ts'

/** A connection that hears bells, and comes back when it is lost. */
export interface Listener {
  /** Resolves when it listens, or the connection is lost: when that is back it listens too. */
  listen(channel: string): Promise<void>
  unlisten(channel: string): void
  /** Asks on the connection that listens. Rejects when there is none. */
  readonly ask: AskSession
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
/**
 * The time until it tries to come back, at first and at most: within two seconds, or others take this
 * process for dead.
 */
const FIRST_REST_MS = 100
const LONGEST_REST_MS = 1_000

/** Begins to listen, and goes on until it is closed. It never begins a transaction: that would hold up the bells of all. */
export function createListener({ url, onHeard, onListening, onLost }: ListenerOptions): Listener {
  const channels = new Set<string>()
  const closing = new AbortController()
  const { signal } = closing
  let current: Client | undefined
  /** What is asked on the connection before: it takes one thing at a time. */
  let before: Promise<unknown> = Promise.resolve()

  function ask(
    client: Client,
    sql: string,
    values: readonly unknown[] = [],
  ): ReturnType<AskSession> {
    const asked = before.then(async () => (await client.query(sql, [...values])).rows)
    before = asked.catch(() => undefined)
    return asked
  }

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
      for (const channel of channels) await ask(client, `listen ${channel}`)
      onListening()
      for (;;) {
        const over = new AbortController()
        const died = await Promise.race([
          lost.then((reason) => ({ reason })),
          wait(SIGN_MS, undefined, { ref: false, signal: over.signal }).catch(() => undefined),
        ])
        over.abort()
        if (died) return died.reason
        await ask(client, 'select 1')
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
      const rest = Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** tries)
      // Those who were cut off together do not come back together.
      await wait(rest * (0.5 + Math.random() / 2), undefined, { signal, ref: false }).catch(
        () => undefined,
      )
    }
  }

  /** What fails here is listened to when the connection is back. */
  async function say(sql: string): Promise<void> {
    if (current) await ask(current, sql).catch(() => undefined)
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
    async ask(sql, values) {
      if (!current) throw new Error('There is no connection that listens.')
      return ask(current, sql, values)
    },
    async close() {
      closing.abort()
      await over
    },
  }
}
