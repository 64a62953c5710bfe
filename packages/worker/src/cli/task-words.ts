import type { Task } from '../inbox.ts'
import { readTaskWaiting } from '../task-waiting.ts'
import { shortText, withoutContent } from './short-input.ts'
import { timeText } from './parse-time.ts'

/** What a task says, in one text. */
export function inputText({ input }: Pick<Task, 'input'>): string {
  if (typeof input === 'string') return shortText(input)
  if (!Array.isArray(input)) return shortText(JSON.stringify(withoutContent(input)))
  const text = input
    .map((part) => {
      const isText = typeof part === 'object' && part !== null && 'text' in part
      return isText && typeof part['text'] === 'string'
        ? part['text']
        : JSON.stringify(withoutContent(part))
    })
    .join(' ')
  return shortText(text)
}

/** What keeps a task from going on, or why it failed; empty when nothing does. */
export function whyText(task: Task): string {
  const { state, error, dueAt, lease } = task
  if (state === 'parked') {
    const calls = readTaskWaiting(task.waitingFor)?.calls ?? []
    const names = calls.map(({ toolName, summary }) => summary ?? toolName)
    return names.length > 0 ? `waits for a decision: ${names.join('; ')}` : 'waits for an answer'
  }
  if (state === 'queued') {
    return error ? `again at ${timeText(dueAt)}, after ${error.code}: ${error.message}` : ''
  }
  if (state === 'dead' || state === 'failed') return error ? `${error.code}: ${error.message}` : ''
  return lease ? `by ${lease.worker}` : ''
}
