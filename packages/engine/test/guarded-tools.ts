import { z } from 'zod'
import type { ConfirmationRecord } from '../src/confirmation.ts'
import type { MessageEngine } from '../src/message-engine.ts'
import type { ToolPluginOptions } from '../src/plugins/tools/options.ts'
import { untilState, type StreamedToolCall } from '../src/testing/index.ts'

/** Tools that act on paths: `read` is free, `write` and `remove` ask. */
export interface GuardedTools {
  /** What they did, outside of the engine, as `write a.txt`. */
  readonly runs: readonly string[]
  readonly options: ToolPluginOptions
}

/** Makes tools whose effects are counted; what is given comes before their own options. */
export function guardedTools(more: ToolPluginOptions = {}): GuardedTools {
  const runs: string[] = []
  const act = (verb: string) => ({
    inputSchema: z.object({ path: z.string() }),
    execute: ({ path }: { path: string }) => {
      runs.push(`${verb} ${path}`)
      return `${verb} ${path}: done`
    },
  })
  const { tools = { read: act('read'), write: act('write'), remove: act('remove') } } = more
  const asking = ['write', 'remove'].filter((name) => Object.hasOwn(tools, name))
  const toolApproval = Object.fromEntries(asking.map((name) => [name, 'user-approval' as const]))
  return { runs, options: { toolApproval, ...more, tools } }
}

/** A call of one of the {@link guardedTools}. Default: `write` to a file named after the call. */
export function callOf(
  toolCallId: string,
  toolName = 'write',
  path = `${toolCallId}.txt`,
): StreamedToolCall {
  return { toolCallId, toolName, input: { path } }
}

/** What a storage would keep of messages and confirmations. */
export function saved<VALUE>(value: VALUE): VALUE {
  return JSON.parse(JSON.stringify(value))
}

/** Resolves when the turn is paused, in its n-th step. */
export async function pausedIn(engine: MessageEngine, step: number): Promise<void> {
  await untilState(engine, ({ requestState, turn }) => {
    return requestState === 'paused' && turn?.step === step
  })
}

/** The ids of the calls that the pause says to be waiting. */
export function waitingIds(engine: MessageEngine): string[] {
  const { pauseReason } = engine.getState().turn ?? {}
  return (pauseReason?.toolCalls ?? []).map(({ toolCallId }) => toolCallId)
}

/** The decisions in a history of confirmations, as `1: yes`. */
export function decisionsIn(confirmations: readonly ConfirmationRecord[]): string[] {
  return confirmations.flatMap((one) =>
    'outcome' in one ? [`${one.toolCallId}: ${one.outcome}`] : [],
  )
}
