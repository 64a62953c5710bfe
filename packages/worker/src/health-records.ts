import { notesBeside } from '@assent/engine/storage'
import type { JSONValue } from 'ai'
import { z } from 'zod'
import type { WorkerStores } from './stores.ts'

/** How a channel is, as it has noted it itself. Times are milliseconds since the epoch. */
export interface ChannelHealth {
  /** In one word, such as `working` or `failing`. */
  readonly state: string
  readonly isWell: boolean
  /** Since when it is so. */
  readonly since: number
  readonly lastSuccessAt?: number | undefined
  readonly lastError?: string | undefined
}

/** The same with who noted it and when. */
export interface NotedHealth extends ChannelHealth {
  /** The channel, such as `telegram:4242`. */
  readonly name: string
  readonly notedAt: number
}

/** What channels note of how they are, for those who look from another process. */
export interface HealthRecords {
  note(name: string, health: ChannelHealth): Promise<void>
  list(): Promise<readonly NotedHealth[]>
}

/** In the store of the conversations, beside these, where connected pages neither read nor write. */
const NAMESPACE = notesBeside('channel-health')

const stored = z.object({
  state: z.string(),
  isWell: z.boolean(),
  since: z.number(),
  lastSuccessAt: z.number().optional(),
  lastError: z.string().optional(),
  notedAt: z.number(),
})

/** @param now milliseconds since the epoch. Default `Date.now` */
export function healthRecords(
  { conversations: { storage } }: Pick<WorkerStores, 'conversations'>,
  now: () => number = Date.now,
): HealthRecords {
  return {
    async note(name, health) {
      const record: JSONValue = JSON.parse(JSON.stringify({ ...health, notedAt: now() }))
      await storage.write(NAMESPACE, { put: new Map([[name, record]]) })
    },
    async list() {
      return [...(await storage.read(NAMESPACE))].flatMap(([name, value]) => {
        const { data } = stored.safeParse(value)
        return data ? [{ ...data, name }] : []
      })
    },
  }
}
