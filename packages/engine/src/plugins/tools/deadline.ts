import type { ToolSet, UIMessage } from 'ai'
import { answerWithin } from '../../approval/answer-within.ts'
import type { ToolCallRef } from '../../message/tool-part.ts'
import type { ToolCallContext, ToolPluginOptions } from './options.ts'

const NAMES = { rule: 'The rule', schema: 'The input schema', preview: 'The preview' } as const

/** What is asked about a call. */
interface CallQuestion extends ToolCallRef {
  readonly type: keyof typeof NAMES
  readonly toolName: string
}

/**
 * What a callback of the app answers about a call, or an error once it has taken longer than
 * `checkTimeoutMs`: a call must not wait for ever. While it does, the turn says so.
 */
export async function withinDeadline<VALUE, TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  {
    options: { checkTimeoutMs },
    context,
  }: {
    readonly options: Pick<ToolPluginOptions<TOOLS, MESSAGE>, 'checkTimeoutMs'>
    readonly context: Pick<ToolCallContext<MESSAGE>, 'beginWait'>
  },
  { type, toolName, ...toolCall }: CallQuestion,
  ask: () => VALUE | PromiseLike<VALUE>,
): Promise<VALUE> {
  const answer = ask()
  if (!isPromise(answer)) return answer
  const endWait = context.beginWait({ type, toolName, toolCall })
  try {
    return await answerWithin(answer, NAMES[type], checkTimeoutMs)
  } finally {
    endWait()
  }
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value
}

/** Resolves when a signal aborts; at once when it has. */
export function whenAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}
