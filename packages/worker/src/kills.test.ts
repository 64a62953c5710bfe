import { join } from 'node:path'
import { type AssentDatabase, auditLog, openDatabase } from '@assent/node'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startNode, type NodeProcess } from '../../node/test/node-process.ts'
import { createScratch, type Scratch } from '../../node/test/scratch.ts'
import { createKiller } from '../test/kills/killer.ts'
import { missingPhases, outOfOrder, wrongCalls, wrongWith } from '../test/kills/truth.ts'
import { openWorld, type World } from '../../node/test/kills/world.ts'
import type { Inbox, Task } from './inbox.ts'
import { sqliteInbox } from './sqlite-inbox.ts'
import { readTaskWaiting } from './task-waiting.ts'

const isDeep = process.env['ASSENT_DEEP'] === '1'
const isSoak = process.env['ASSENT_SOAK'] === '1'
const KILLS = isSoak ? 1_000 : isDeep ? 24 : 4
const WORKERS = 2
const CONVERSATIONS = 6
const KINDS = ['effect', 'say', 'ask', 'effect', 'safe'] as const
const FIXTURE = join(import.meta.dirname, '../test/kills/worker-process.fixture.ts')

let scratch: Scratch
let world: World
let database: AssentDatabase
const workers = new Map<string, NodeProcess>()

beforeEach(async () => {
  scratch = createScratch()
  world = await openWorld()
  // A worker that stands still may do so in the middle of a write.
  database = openDatabase(join(scratch.path, 'data.db'), { busyTimeoutMs: 60_000 })
})

afterEach(async () => {
  for (const worker of workers.values()) worker.kill()
  await Promise.all([...workers.values()].map(({ ended }) => ended))
  workers.clear()
  database.close()
  await world.close()
  scratch.remove()
})

describe('workers that are killed, or stand still for a while', () => {
  it(
    `lose nothing and do nothing twice without saying so, after ${KILLS} kills`,
    async () => {
      const inbox = sqliteInbox(database, { maxAttempts: 1_000 })
      let started = 0
      const start = async () => {
        const name = `worker-${++started}`
        const worker = startNode(FIXTURE, database.path, world.url, name)
        workers.set(name, worker)
        await worker.line()
      }
      const starting = new Set<Promise<void>>()
      const failed: unknown[] = []
      const killer = createKiller({
        world,
        workers,
        mostKills: KILLS,
        stallMs: 2_500,
        onKilled(name) {
          workers.delete(name)
          const one = start()
            .catch((error: unknown) => failed.push(error))
            .then(() => void starting.delete(one))
          starting.add(one)
        },
      })
      await Promise.all(Array.from({ length: WORKERS }, start))
      const added = await keepBusy(inbox, () => {
        // Without a worker nothing would ever be over.
        if (failed.length > 0) throw failed[0]
        return killer.kills < KILLS
      })
      await Promise.all([...starting, killer.awake()])
      for (const worker of workers.values()) worker.say('stop')
      const codes = await Promise.all([...workers.values()].map(({ ended }) => ended))
      workers.clear()

      expect(codes).toEqual(codes.map(() => 0))
      const done = [...killer.done].map(([deed, count]) => `${count} ${deed}`).join(', ')
      const again = world.replies.filter(({ mayBeRepeated }) => mayBeRepeated).length
      const unknown = world.replies.filter(({ text }) => text.startsWith('unknown')).length
      process.stdout.write(
        `\n${added.length} tasks, ${killer.kills} kills: ${done}; ${unknown} effects not known, ` +
          `${again} replies that may be repetitions.\n`,
      )
      expect(killer.kills).toBe(KILLS)
      expect(added.flatMap((task) => wrongWith(task, world))).toEqual([])
      expect(outOfOrder(added, world)).toEqual([])
      expect(missingPhases(added, database)).toEqual([])
      expect(wrongCalls(added, database, world)).toEqual([])
      expect(await auditLog(database).verify()).toMatchObject({ valid: true })
      const checked = database.sqlite.prepare('PRAGMA integrity_check').all()
      expect(checked).toEqual([{ integrity_check: 'ok' }])
    },
    KILLS * 15_000,
  )
})

/** Adds tasks as long as it is wanted and answers what they ask, until all of them are over. */
async function keepBusy(inbox: Inbox, isWanted: () => boolean): Promise<readonly Task[]> {
  const ids: string[] = []
  for (;;) {
    const counts = await inbox.count()
    const open = ids.length - (counts.get('done') ?? 0) - (counts.get('dead') ?? 0)
    if (open === 0 && !isWanted()) break
    // Under load, and not more than that.
    for (let missing = 2 * CONVERSATIONS - open; isWanted() && missing > 0; missing--) {
      const number = ids.length
      const id = `t${number}`
      const input = `${KINDS[number % KINDS.length]} ${id}`
      await inbox.add({ id, conversationId: `c${number % CONVERSATIONS}`, input })
      ids.push(id)
    }
    for (const { id, waitingFor } of await inbox.list({ states: ['parked'] })) {
      const decisions = readTaskWaiting(waitingFor)?.calls.map(
        ({ toolCallId, messageId, step }) => ({ toolCallId, messageId, step }),
      )
      await inbox.answer(id, { decisions: decisions ?? [], by: 'Ada' })
    }
    // What other processes have done can be looked for only.
    await new Promise<void>((resolve) => void setTimeout(resolve, 15))
  }
  const tasks = await Promise.all(ids.map((id) => inbox.get(id)))
  return tasks.flatMap((task) => task ?? [])
}
