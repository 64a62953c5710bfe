import { toolPlugin, type EngineError } from '@assent/engine'
import { memoryStorage, type ConversationStorage } from '@assent/engine/storage'
import { scriptedTransport, type ScriptedTransport } from '@assent/engine/testing'
import { effectScope, type EffectScope } from 'vue'
import { z } from 'zod'
import type {
  UseConversationsOptions,
  UseConversationsReturn,
} from '../use-conversations-options.ts'
import { useConversations } from '../use-conversations.ts'

/** Conversations whose tool `write` asks, in a page. */
export interface ConversationScene extends UseConversationsReturn {
  readonly scope: EffectScope
  /** What the model answers in the conversation of this id; `hold` and `add` before it is asked. */
  transport(id: string): ScriptedTransport
  /** What the tool wrote, in order. */
  readonly effects: string[]
  readonly errors: EngineError[]
}

/** Opens a page on a store; its ids are c1, c2 and so on, and every moment is a second of its own. */
export function conversationScene(
  storage: ConversationStorage = memoryStorage(),
  more: Partial<UseConversationsOptions> = {},
): ConversationScene {
  const transports = new Map<string, ScriptedTransport>()
  const effects: string[] = []
  const errors: EngineError[] = []
  const scope = effectScope()
  let ids = 0
  const transport = (id: string): ScriptedTransport => {
    const known = transports.get(id) ?? scriptedTransport()
    transports.set(id, known)
    return known
  }
  const made = scope.run(() =>
    useConversations({
      storage,
      now: () => ++time,
      generateId: () => `c${++ids}`,
      engine: (id) => ({
        transport: transport(id),
        scheduleFrame: (publish) => {
          queueMicrotask(publish)
          return () => {}
        },
        onError: (error) => errors.push(error),
        plugins: [
          toolPlugin({
            tools: {
              write: {
                inputSchema: z.object({ file: z.string() }),
                execute: ({ file }: { file: string }) => {
                  effects.push(file)
                  return `wrote ${file}`
                },
              },
            },
            toolApproval: { write: 'user-approval' },
            toolOptions: { write: { summary: ({ file }: { file: string }) => `Write ${file}` } },
          }),
        ],
      }),
      ...more,
    }),
  )
  if (!made) throw new Error('The scope is not active.')
  return { ...made, scope, transport, effects, errors }
}

let time = 1_000
