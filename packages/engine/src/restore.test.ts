import { describe, expect, it } from 'vitest'
import { createToolEngine } from '../test/tool-engine.ts'
import { textOf } from './message/message-input.ts'
import type { EnginePlugin } from './plugin.ts'
import { defineStorage } from './storage/define-storage.ts'
import { memoryStorage, type MemoryStorage } from './storage/memory-storage.ts'
import { answer } from './testing/index.ts'

type Script = Parameters<typeof createToolEngine>[0]

/** Opens the conversation of a disk as a page does. */
function open(disk: MemoryStorage, script: Script, plugins: EnginePlugin[] = []) {
  return createToolEngine(script, {}, { id: 'chat', storage: defineStorage(disk), plugins })
}

/** The disk as a crash at this moment leaves it. */
const crash = (disk: MemoryStorage) => memoryStorage(disk.snapshot())

describe('a conversation that is opened again', () => {
  it('sends what was queued behind a turn that had just ended', async () => {
    const disk = memoryStorage()
    const isEnding = Promise.withResolvers<void>()
    const held = { onFinally: () => isEnding.resolve() ?? new Promise<void>(() => undefined) }
    const first = open(disk, [answer('one')], [held])
    void first.engine.sendMessage('a')
    void first.engine.sendMessage('b')
    await isEnding.promise
    await new Promise((resolve) => void setTimeout(resolve))
    const second = open(crash(disk), [answer('two')])
    await second.completed()
    const { messages, queue } = second.engine.getState()
    expect(messages.map(textOf)).toEqual(['a', 'one', 'b', 'two'])
    expect(queue).toEqual([])
  })
})
