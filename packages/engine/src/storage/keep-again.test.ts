import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createToolEngine } from '../../test/tool-engine.ts'
import { textOf } from '../message/message-input.ts'
import { answer, callTools } from '../testing/index.ts'
import { defineStorage } from './define-storage.ts'
import { memoryStorage, type MemoryStorage } from './memory-storage.ts'
import type { StorageChanges, StorageWriteResult } from './storage.ts'

type Script = Parameters<typeof createToolEngine>[0]

const write = (toolCallId: string) => ({ toolCallId, toolName: 'write', input: {} })

function open(disk: MemoryStorage, script: Script, id = 'chat') {
  return createToolEngine(
    script,
    { tools: {}, callTool: () => 'written', shouldPauseToolCall: () => true },
    { id, storage: defineStorage(disk) },
  )
}

const keysOf = (disk: MemoryStorage, namespace: string) => [
  ...(disk.snapshot().get(namespace)?.keys() ?? []),
]

describe('a conversation that is opened again', () => {
  it('has what its former engine wrote last, however soon that is', async () => {
    const disk = memoryStorage()
    const first = open(disk, [])
    const held = first.transport.hold()
    void first.engine.sendMessage('go')
    await held.push(...answer('half').slice(0, 4))
    void first.engine.sendMessage('and then')
    first.engine.dispose()
    const second = open(disk, [])
    await second.engine.ready
    expect(second.engine.getState().messages.map(textOf)).toEqual(['go', 'half'])
    expect(second.engine.getState().queue).toHaveLength(1)
  })

  it('has it also when it was opened in between, and left before anything was read', async () => {
    const disk = memoryStorage()
    const called = Promise.withResolvers<void>()
    let last: Promise<StorageWriteResult> = Promise.resolve({})
    const slow = Object.assign(Object.create(disk) as MemoryStorage, {
      read: async (namespace: string) => {
        await last
        return disk.read(namespace)
      },
      write: (namespace: string, changes: StorageChanges) => {
        called.resolve()
        last = last.then(() => setImmediate()).then(() => disk.write(namespace, changes))
        return last
      },
    })
    const first = open(slow, [])
    void first.engine.sendMessage('go')
    await called.promise
    void first.engine.sendMessage('and then')
    first.engine.dispose()
    open(slow, []).engine.dispose()
    const third = open(slow, [])
    await third.engine.ready
    expect(third.engine.getState().messages.map(textOf)).toEqual(['go'])
    expect(third.engine.getState().queue).toHaveLength(1)
  })

  it('has failed when it had, and can be retried', async () => {
    const disk = memoryStorage()
    const first = open(disk, [new Error('No such luck.')])
    await first.engine.sendMessage('go')
    const { error } = first.engine.getState()
    const second = open(disk, [answer('there')])
    await second.engine.ready
    expect(second.engine.getState()).toMatchObject({
      requestState: 'error',
      error: { code: error?.code, message: error?.message, retryable: error?.retryable },
    })
    await second.engine.retry()
    expect(second.engine.getState().messages.map(textOf)).toEqual(['go', 'there'])
    const third = open(disk, [])
    await third.engine.ready
    expect(third.engine.getState()).toMatchObject({ requestState: 'idle', error: undefined })
  })

  it('takes no copy of what another one allowed everywhere', async () => {
    const disk = memoryStorage()
    const one = open(disk, [callTools(write('1')), answer('done')], 'one')
    await one.engine.sendMessage('go')
    await one.resume({
      toolCallId: '1',
      outcome: 'yes_always',
      scope: { covers: 'tool', where: 'everywhere' },
    })
    await one.completed()
    const two = open(disk, [callTools(write('2')), answer('done')], 'two')
    expect(await two.engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    // Its own: that it used the permission.
    const own = keysOf(disk, 'conversation/two').filter((key) => key.startsWith('confirmation/'))
    expect(own).toHaveLength(1)
    const again = open(disk, [callTools(write('3')), answer('done')], 'two')
    expect(await again.engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect(again.engine.getState().confirmations).toHaveLength(3)
    expect(keysOf(disk, 'everywhere')).toHaveLength(3)
  })
})
