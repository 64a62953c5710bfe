import { shallowRef, type ShallowRef } from 'vue'
import { z } from 'zod'
import { askOffice, officeAddress, tellOffice } from './office-api.ts'
import { task, type OfficeTask } from './office-bodies.ts'
import { useChanges } from './use-changes.ts'

/** The tasks of the worker, as a page shows them. */
export interface UseTasks {
  /** Those that are not over, the oldest first. */
  readonly open: Readonly<ShallowRef<readonly OfficeTask[]>>
  /** The last ones that are over, the last one to end first. */
  readonly over: Readonly<ShallowRef<readonly OfficeTask[]>>
  readonly counts: Readonly<ShallowRef<Readonly<Record<string, number>>>>
  readonly isLoaded: Readonly<ShallowRef<boolean>>
  readonly trouble: Readonly<ShallowRef<string | undefined>>
  /** Rejects with what the server says. */
  add(conversationId: string, input: string): Promise<void>
  replay(id: string): Promise<void>
  discard(id: string): Promise<void>
  answer(id: string, answer: object): Promise<void>
}

const OPEN = ['queued', 'in_progress', 'model_round', 'tool_round', 'reply_sent', 'parked', 'dead']
const OVER = ['done', 'failed']
const OVER_SHOWN = 12

const tasksBody = z.object({
  tasks: z.array(task),
  counts: z.record(z.string(), z.number()),
})
const taskBody = z.object({ task })

/** Reads the tasks, and again whenever one changes. */
export function useTasks(): UseTasks {
  const open = shallowRef<readonly OfficeTask[]>([])
  const over = shallowRef<readonly OfficeTask[]>([])
  const counts = shallowRef<Readonly<Record<string, number>>>({})
  const isLoaded = shallowRef(false)
  const trouble = shallowRef<string>()
  let latest = 0

  async function read(): Promise<void> {
    const turn = ++latest
    const list = (states: readonly string[], limit: number) => {
      const query = new URLSearchParams(states.map((state) => ['state', state]))
      return askOffice(`${officeAddress('tasks')}?${query}&limit=${limit}`, tasksBody)
    }
    try {
      const [opened, ended] = await Promise.all([list(OPEN, 200), list(OVER, OVER_SHOWN)])
      if (turn !== latest) return
      open.value = opened.tasks.toReversed()
      over.value = ended.tasks.toSorted((one, other) => other.updatedAt - one.updatedAt)
      counts.value = opened.counts
      trouble.value = undefined
      isLoaded.value = true
    } catch (error) {
      if (turn === latest) trouble.value = error instanceof Error ? error.message : String(error)
    }
  }

  async function change(path: string, said: object): Promise<void> {
    await tellOffice(path, said, taskBody)
    await read()
  }

  useChanges(() => void read())

  const ofTask = (id: string, what: string) => `tasks/${encodeURIComponent(id)}/${what}`
  return {
    open,
    over,
    counts,
    isLoaded,
    trouble,
    add: (conversationId, input) => change('tasks', { conversationId, input }),
    replay: (id) => change(ofTask(id, 'replay'), {}),
    discard: (id) => change(ofTask(id, 'discard'), {}),
    answer: (id, answer) => change(ofTask(id, 'answer'), answer),
  }
}
