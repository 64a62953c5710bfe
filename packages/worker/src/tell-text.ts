import type { MessageEngine } from '@assent/engine'
import type { Task } from './inbox.ts'
import { answerTo } from './own-message.ts'
import { answerText } from './answer-text.ts'

/** The text of an answer that is still being written. */
export interface TaskText {
  readonly task: Task
  /** All that the model has said in the turn so far. */
  readonly text: string
}

/** Milliseconds between two looks: people read no faster. */
const EVERY_MS = 200

/** Tells how the answer to a task grows. Returns how to tell no more. */
export function tellText(
  engine: MessageEngine,
  task: Task,
  { onText, report }: { onText: (said: TaskText) => void; report: (error: unknown) => void },
): () => void {
  let lookedAt = -Infinity
  let told = ''
  return engine.subscribe(() => {
    if (performance.now() - lookedAt < EVERY_MS) return
    const { messages, requestState } = engine.getState()
    if (requestState !== 'processing') return
    lookedAt = performance.now()
    const text = answerText(answerTo(task.id, messages) ?? [])
    if (text === told) return
    told = text
    try {
      onText({ task, text })
    } catch (error) {
      report(error)
    }
  })
}
