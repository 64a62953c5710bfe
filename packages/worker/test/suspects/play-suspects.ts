import { openWorld } from '../../../node/test/kills/world.ts'
import type { NodeProcess } from '../../../node/test/node-process.ts'
import type { Inbox } from '../../src/inbox.ts'

/** Tasks that are harmless, each of a conversation of its own. */
export const NEIGHBOURS = ['n1', 'n2', 'n3'] as const

/** What became of a task that ends its process, and of those beside it. */
export interface SuspectsPlay {
  /** How many processes ended. */
  readonly ends: number
  /** Tasks that were under way in the process each time that the poisonous one ended it. */
  readonly company: readonly (readonly string[])[]
  /** What the channel was told, as `task: text`. */
  readonly told: readonly string[]
}

/**
 * Lets one poisonous task end its process in the middle of its neighbours, and again and again after it.
 *
 * @param start starts a worker of this name that acts on the world at this address
 */
export async function playSuspects(
  inbox: Inbox,
  start: (url: string, name: string) => NodeProcess,
): Promise<SuspectsPlay> {
  const world = await openWorld()
  const company: string[][] = []
  const underWay = new Map<string, Set<string>>()
  const isTogether = Promise.withResolvers<void>()
  world.onMoment = async (moment, worker, sent) => {
    const tasks = underWay.get(worker) ?? new Set()
    underWay.set(worker, tasks)
    const named = NEIGHBOURS.find((id) => sent.includes(id))
    if (moment === 'asked' && named) {
      tasks.add(named)
      if (tasks.size === NEIGHBOURS.length) isTogether.resolve()
      // In the first process the neighbours are in the middle of it until that ends.
      if (worker === 'worker-1') await new Promise(() => undefined)
    }
    if (moment === 'after-reply' && named) tasks.delete(named)
    if (moment === 'before-effect') {
      if (worker === 'worker-1') await isTogether.promise
      company.push([...tasks].toSorted())
    }
  }
  for (const id of ['poison', ...NEIGHBOURS]) {
    await inbox.add({ id, conversationId: id, input: `say ${id}`, maxAttempts: 2 })
  }

  let ends = 0
  let running = start(world.url, 'worker-1')
  const isOver = async () => {
    const counts = await inbox.count()
    return (counts.get('done') ?? 0) === NEIGHBOURS.length && counts.get('dead') === 1
  }
  try {
    for (;;) {
      const ended = await Promise.race([running.ended.then(() => true), soon()])
      if (ended) {
        ends += 1
        running = start(world.url, `worker-${ends + 1}`)
      } else if (await isOver()) break
    }
    running.say('stop')
    await running.ended
    const told = world.replies.map(({ taskId, text }) => `${taskId}: ${text}`)
    return { ends, company, told: told.toSorted() }
  } finally {
    running.kill()
    await world.close()
  }
}

/** What another process has done can be looked for only. */
async function soon(): Promise<false> {
  await new Promise<void>((resolve) => void setTimeout(resolve, 20))
  return false
}
