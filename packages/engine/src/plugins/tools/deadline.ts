import type { ToolSet, UIMessage } from 'ai'
import type { ToolCallRef } from '../../message/tool-part.ts'
import type { ToolCallContext, ToolPluginOptions } from './options.ts'

/** Milliseconds that a rule, a schema or a preview may take by default. */
const CHECK_MS = 10_000

const NAMES = { rule: 'The rule', schema: 'The input schema', preview: 'The preview' } as const

/** What is asked about a call. */
export interface CallQuestion extends ToolCallRef {
  readonly type: keyof typeof NAMES
  readonly toolName: string
}

/**
 * What a callback of the app answers about a call, or an error once it has taken longer than
 * `checkTimeoutMs`: a call must not wait for ever. While it does, the turn says so.
 */
export async function withinDeadline<VALUE, TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  {
    options: { checkTimeoutMs = CHECK_MS },
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
  const late = Promise.withResolvers<never>()
  const timer =
    checkTimeoutMs < Infinity
      ? setTimeout(() => {
          const text = `${NAMES[type]} did not answer within ${checkTimeoutMs / 1_000} s.`
          late.reject(new DOMException(text, 'TimeoutError'))
        }, checkTimeoutMs)
      : undefined
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
    endWait()
  }
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value
}
