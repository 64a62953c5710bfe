import type { UIMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { createMessageEngine } from './engine.ts'
import type { EngineError } from './errors.ts'
import { claimKeyOf, replaceToolCall, toolCallsOf } from './message/tool-calls.ts'
import { changeMetadata } from './message/tool-part-states.ts'
import type { EnginePlugin } from './plugin.ts'
import { defineStorage } from './storage/define-storage.ts'
import { memoryStorage } from './storage/memory-storage.ts'
import { callTools, scriptedTransport } from './testing/index.ts'

interface StarterOptions {
  readonly id: string
  /** Called when the calls are stored. */
  readonly onCalls: () => void
  readonly mayStart: Promise<void>
  readonly onClaim: (text: string) => void
}

/** Starts each call by a claim, and never ends it. */
function starter({ id, onCalls, mayStart, onClaim }: StarterOptions): EnginePlugin {
  return {
    name: 'starter',
    async onSettle(context) {
      const calls = () => context.getState().messages.flatMap((message) => toolCallsOf(message))
      if (calls().length === 0) return
      context.callingTools()
      await context.save()
      onCalls()
      await mayStart
      for (const call of calls()) {
        context.updateMessage(call.messageId, (message) =>
          replaceToolCall(message, call, (part) => changeMetadata(part, { startedAt: 1 })),
        )
        const result = await context.claim(claimKeyOf(call))
        onClaim(`${id}: ${result}`)
        if (result !== 'claimed') return
        await new Promise((resolve) => void context.abortSignal.addEventListener('abort', resolve))
      }
    },
  }
}

const asked: UIMessage = { id: 'ask', role: 'user', parts: [{ type: 'text', text: 'go' }] }

describe('two engines of one store', () => {
  it('let one start a call; the other ends its turn and shows what is stored', async () => {
    const storage = defineStorage(memoryStorage())
    const claims: string[] = []
    const errors: EngineError[] = []
    const start = Promise.withResolvers<void>()
    const open = (id: string) => {
      const ready = Promise.withResolvers<void>()
      const engine = createMessageEngine({
        id: 'chat',
        storage,
        transport: scriptedTransport([
          callTools({ toolName: 'write', toolCallId: '1', input: {} }),
        ]),
        plugins: [
          starter({
            id,
            onCalls: ready.resolve,
            mayStart: start.promise,
            onClaim: (text) => claims.push(text),
          }),
        ],
        onError: (error) => errors.push(error),
      })
      return { engine, ready: ready.promise }
    }
    const first = open('first')
    void first.engine.sendMessage(asked)
    await first.ready
    const second = open('second')
    await second.ready
    start.resolve()
    await expect.poll(() => second.engine.getState().requestState).toBe('error')
    expect(claims.toSorted()).toEqual(['first: claimed', 'second: taken'])
    const { error, messages } = second.engine.getState()
    expect(error?.code).toBe('taken_over')
    await expect
      .poll(() => second.engine.getState().messages)
      .toEqual(first.engine.getState().messages)
    expect(messages.map(({ id }) => id)).toContain('ask')
    expect(first.engine.getState().requestState).toBe('processing')
    expect(errors.map(({ code }) => code)).toEqual(['taken_over'])
    second.engine.dispose()
    first.engine.dispose()
  })
})
