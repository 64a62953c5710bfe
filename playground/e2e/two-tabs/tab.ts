// One tab of a conversation, without any look: what tests see and do in it.
import { httpTransport, toolPlugin, type RequestState } from '@assent/engine'
import { createSharedEngine } from '@assent/engine/shared'
import { defineStorage, indexedDBStorage } from '@assent/engine/storage'
import { z } from 'zod'

const id = location.hash.slice(1)
const opened = crypto.randomUUID()
const states: RequestState[] = []

const engine = createSharedEngine({
  id,
  transport: httpTransport({ api: '/chat' }),
  storage: defineStorage(indexedDBStorage()),
  plugins: [
    toolPlugin({
      gate: 'call',
      tools: {
        act: {
          inputSchema: z.object({ id: z.string() }),
          execute: async (input: { id: string }, { abortSignal }) => {
            const response = await fetch(`/effect?id=${input.id}&tab=${opened}`, {
              method: 'POST',
              signal: abortSignal ?? null,
            })
            return response.text()
          },
        },
      },
      toolApproval: { act: 'user-approval' },
    }),
  ],
})
engine.subscribe(() => {
  const { requestState, messages } = engine.getState()
  states.push(messages.length === 0 ? 'idle' : requestState)
})

/** What is looked at from outside. */
const tab = {
  opened,
  engine,
  states,
  /** Resolves when the state is as described. */
  until: (isReached: (shared: typeof engine) => boolean) =>
    new Promise<void>((resolve) => {
      let stop: (() => void) | undefined
      const look = (): void => {
        if (!isReached(engine)) return
        stop?.()
        resolve()
      }
      stop = engine.subscribe(look)
      look()
    }),
  decide: async (toolCallId: string, outcome: 'yes' | 'no' = 'yes') => {
    const decided = await engine.runPluginCommand('tool', 'resumeToolCall', { toolCallId, outcome })
    return decided.success ? outcome : decided.error.code
  },
}

declare global {
  var tab: TabOfPage
}

/** A tab as it is looked at from outside. */
export type TabOfPage = typeof tab

globalThis.tab = tab
