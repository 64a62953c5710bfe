import { expect, it, vi } from 'vitest'
import { createMessageEngine } from '../engine.ts'
import { toolPlugin } from '../plugins/tools/tool-plugin.ts'
import { answer, callTools, scriptedTransport, untilState } from '../testing/index.ts'
import { defineStorage } from './define-storage.ts'
import { indexedDBStorage } from './indexed-db-storage.ts'

/** A conversation as a tab has it: with a connection of its own to what all tabs store. */
function open(name: string, id: string) {
  const effects: string[] = []
  const engine = createMessageEngine({
    id,
    storage: defineStorage(indexedDBStorage({ name })),
    transport: scriptedTransport([
      callTools({ toolCallId: '1', toolName: 'write', input: {} }),
      answer('done'),
    ]),
    plugins: [
      toolPlugin({
        callTool: ({ toolCallId }) => effects.push(toolCallId),
        shouldPauseToolCall: () => true,
      }),
    ],
  })
  return { engine, effects }
}

/** Two tabs, in one of which a call waits, and what happens before it is allowed in the other. */
async function allow(between: () => void = () => undefined) {
  const name = `everywhere ${crypto.randomUUID()}`
  const waiting = open(name, 'waiting')
  const other = open(name, 'other')
  await waiting.engine.sendMessage('go')
  await other.engine.sendMessage('go')
  between()
  await other.engine.runPluginCommand('tool', 'resumeToolCall', {
    toolCallId: '1',
    outcome: 'yes_always',
    scope: { covers: 'tool', where: 'everywhere' },
  })
  await untilState(other.engine, ({ requestState }) => requestState === 'completed')
  return {
    waiting,
    dispose() {
      waiting.engine.dispose()
      other.engine.dispose()
    },
  }
}

it('settles what waits in another tab, once it is allowed everywhere', async () => {
  const { waiting, dispose } = await allow()
  await untilState(waiting.engine, ({ requestState }) => requestState === 'completed')
  expect(waiting.effects).toEqual(['1'])
  dispose()
})

it('is heard of by a page that was put away meanwhile, as soon as it is shown again', async () => {
  const closed = vi.spyOn(BroadcastChannel.prototype, 'close')
  const { waiting, dispose } = await allow(() => {
    window.dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))
  })
  // A page with an open channel is not put away, but ended.
  expect(closed).toHaveBeenCalledTimes(2)
  window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
  await untilState(waiting.engine, ({ requestState }) => requestState === 'completed')
  expect(waiting.effects).toEqual(['1'])
  dispose()
})
