import { shallowRef, type ShallowRef } from 'vue'
import { z } from 'zod'

const infoBody = z.object({
  model: z.string(),
  mode: z.enum(['demo', 'endpoint']),
  examples: z.array(z.string()).readonly(),
})
const backupsBody = z.object({
  backups: z.array(z.object({ name: z.string(), megabytes: z.number() })).readonly(),
})
const outboxBody = z.object({
  reports: z
    .array(z.object({ receipt: z.string(), to: z.string(), subject: z.string(), body: z.string() }))
    .readonly(),
})

/** What the server says about itself. */
export type ServerInfo = z.infer<typeof infoBody>
/** A backup on the server. */
export type ServerBackup = z.infer<typeof backupsBody>['backups'][number]
/** A report that the server sent. */
export type ServerReport = z.infer<typeof outboxBody>['reports'][number]

/** What the page shows of the server, as it was when last asked. */
export interface ServerState {
  /** `undefined` until the server answered for the first time. */
  readonly info: Readonly<ShallowRef<ServerInfo | undefined>>
  /** `undefined` as long as `info` is. */
  readonly backups: Readonly<ShallowRef<readonly ServerBackup[] | undefined>>
  /** Oldest first; `undefined` as long as `info` is. */
  readonly reports: Readonly<ShallowRef<readonly ServerReport[] | undefined>>
  /** Whether the last attempt to ask failed. */
  readonly isUnreachable: Readonly<ShallowRef<boolean>>
  /** Asks anew. Never rejects. */
  refresh(): Promise<void>
}

/** Reads the state of the playground's server; nothing is asked before the first `refresh`. */
export function createServerState(): ServerState {
  const info = shallowRef<ServerInfo>()
  const backups = shallowRef<readonly ServerBackup[]>()
  const reports = shallowRef<readonly ServerReport[]>()
  const isUnreachable = shallowRef(false)
  let latest = 0

  async function refresh(): Promise<void> {
    const turn = ++latest
    try {
      const [about, backupList, outbox] = await Promise.all([
        info.value ?? read('/api/info', infoBody),
        read('/api/backups', backupsBody),
        read('/api/outbox', outboxBody),
      ])
      // An answer that was overtaken would show what is no longer so.
      if (turn !== latest) return
      info.value = about
      // A list that is as it was is no change to whoever watches it.
      if (!isSame(backups.value, backupList.backups)) backups.value = backupList.backups
      if (!isSame(reports.value, outbox.reports)) reports.value = outbox.reports
      isUnreachable.value = false
    } catch {
      if (turn === latest) isUnreachable.value = true
    }
  }

  return { info, backups, reports, isUnreachable, refresh }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

async function read<BODY>(path: string, body: z.ZodType<BODY>): Promise<BODY> {
  const response = await fetch(path)
  if (!response.ok) throw new Error(`${path} answered with status ${response.status}`)
  return body.parse(await response.json())
}
