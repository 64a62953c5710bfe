import type { OfficeTask } from './office-bodies.ts'

/** The tasks of a list, by what becomes of them next. */
export interface TaskSections {
  /** A person has to decide. */
  readonly parked: readonly OfficeTask[]
  readonly running: readonly OfficeTask[]
  /** Begun before, and begun again at their time. */
  readonly retrying: readonly OfficeTask[]
  readonly waiting: readonly OfficeTask[]
  readonly dead: readonly OfficeTask[]
}

export function sectionsOf(tasks: readonly OfficeTask[]): TaskSections {
  const of = (isIn: (task: OfficeTask) => boolean) => tasks.filter(isIn)
  const isRetried = ({ state, error }: OfficeTask) => state === 'queued' && error !== undefined
  return {
    parked: of(({ state }) => state === 'parked'),
    running: of(({ state }) =>
      ['in_progress', 'model_round', 'tool_round', 'reply_sent'].includes(state),
    ),
    retrying: of(isRetried),
    waiting: of((task) => task.state === 'queued' && !isRetried(task)),
    dead: of(({ state }) => state === 'dead'),
  }
}

/** How a task that is over ended: done is one whose tools did what they were called for. */
export function endOf({ state, failedCalls, deniedCalls }: OfficeTask): {
  readonly badge: string
  readonly tone: 'ok' | 'bad' | undefined
} {
  if (state !== 'done') return { badge: 'Discarded', tone: undefined }
  const badge = (count: number, what: string) =>
    count === 1 ? `1 tool call ${what}` : `${count} tool calls ${what}`
  if (failedCalls.length > 0) return { badge: badge(failedCalls.length, 'failed'), tone: 'bad' }
  if (deniedCalls.length > 0) {
    return { badge: badge(deniedCalls.length, 'denied'), tone: undefined }
  }
  return { badge: 'Done', tone: 'ok' }
}

/** What a task says, in one text. */
export function requestOf({ input }: OfficeTask): string {
  if (typeof input === 'string') return input
  const parts = Array.isArray(input) ? input : [input]
  return parts
    .map((part) => {
      const isText = typeof part === 'object' && part !== null && 'text' in part
      return isText && typeof part['text'] === 'string' ? part['text'] : JSON.stringify(part)
    })
    .join(' ')
}
