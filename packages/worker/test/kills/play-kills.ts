import { expect } from 'vitest'
import type { NodeProcess } from '../../../node/test/node-process.ts'
import type { World } from '../../../node/test/kills/world.ts'
import type { Inbox, Task } from '../../src/inbox.ts'
import { readTaskWaiting } from '../../src/task-waiting.ts'
import { createKiller } from './killer.ts'
import { outOfOrder, wrongWith } from './truth.ts'

const isDeep = process.env['ASSENT_DEEP'] === '1'
const isSoak = process.env['ASSENT_SOAK'] === '1'
/** Kills of a play; a few in the quick run. */
export const KILLS = isSoak ? 1_000 : isDeep ? 24 : 4
const WORKERS = 2
const CONVERSATIONS = 6
const KINDS = ['effect', 'say', 'ask', 'effect', 'safe'] as const

/** What is killed, and what it worked on. */
export interface KillPlay {
  readonly world: World
  readonly inbox: Inbox
  /** Starts a worker, which prints a line once it works and stops when it is told something. */
  readonly start: (name: string) => NodeProcess
}

/**
 * Kills workers of an inbox, and lets some stand still for a while, until all tasks are over. Nothing may
 * be lost, and nothing done twice without saying so. Answers with the tasks.
 */
export async function playKills({ world, inbox, start }: KillPlay): Promise<readonly Task[]> {
  const workers = new Map<string, NodeProcess>()
  try {
    return await play({ world, inbox, start }, workers)
  } finally {
    for (const worker of workers.values()) worker.kill()
    await Promise.all([...workers.values()].map(({ ended }) => ended))
  }
}

async function play(
  { world, inbox, start }: KillPlay,
  workers: Map<string, NodeProcess>,
): Promise<readonly Task[]> {
  let started = 0
  const startNext = async () => {
    const name = `worker-${++started}`
    const worker = start(name)
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
      const one = startNext()
        .catch((error: unknown) => failed.push(error))
        .then(() => void starting.delete(one))
      starting.add(one)
    },
  })
  await Promise.all(Array.from({ length: WORKERS }, startNext))
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
  return added
}

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
