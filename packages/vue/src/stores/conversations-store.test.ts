import { memoryStorage, type MemoryStorage } from '@assent/engine/storage'
import { answer, scriptedTransport } from '@assent/engine/testing'
import { acceptHMRUpdate, createPinia, setActivePinia, type Pinia } from 'pinia'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { defineConversationsStore } from './conversations-store.ts'

let pinia: Pinia
beforeEach(() => {
  pinia = createPinia()
  setActivePinia(pinia)
})

function define(disk: MemoryStorage, ...script: Parameters<typeof scriptedTransport>) {
  const transport = scriptedTransport(...script)
  const useStore = defineConversationsStore('chats', () => ({
    storage: disk,
    engine: () => ({ transport }),
  }))
  return { useStore, transport }
}

describe('a store that has conversations', () => {
  it('has a state of plain JSON: the list, and what is active', async () => {
    const { useStore } = define(memoryStorage(), [answer('hello'), answer('ho')])
    const store = useStore()
    await store.sendMessage('Hi')
    const first = store.active
    const second = store.create()
    await store.sendMessage('Ho')
    const state = JSON.parse(JSON.stringify(pinia.state.value)).chats
    expect(state).toMatchObject({
      active: second,
      requestState: 'completed',
      messages: [{ role: 'user' }, { role: 'assistant' }],
      conversations: [
        { id: second, title: 'Ho' },
        { id: first, title: 'Hi' },
      ],
    })
    expect(Object.keys(state).toSorted()).toEqual([
      'active',
      'conversations',
      'messages',
      'requestState',
    ])
    expect(await store.rename(first, 'Plans')).toMatchObject({ success: true })
    expect(await store.search('plans')).toMatchObject({ result: [{ id: first }] })
    expect(store.found).toMatchObject([{ title: 'Plans' }])
    await store.remove(second)
    expect(store.conversations).toMatchObject([{ id: first }])
    await store.open(first)
    expect(store.messages).toHaveLength(2)
  })

  it('is closed by $dispose and $reset, and loses nothing by either', async () => {
    const disk = memoryStorage()
    const { useStore } = define(disk, [answer('hello')])
    const store = useStore()
    await store.sendMessage('Hi')
    const first = store.active
    store.$reset()
    expect(store.active).not.toBe(first)
    expect(store.messages).toEqual([])
    await vi.waitFor(() => expect(store.conversations).toMatchObject([{ id: first }]))
    const engine = store.chat.engine.value
    store.$dispose()
    expect(await engine.sendMessage('x')).toMatchObject({ error: { code: 'disposed' } })
    setActivePinia(createPinia())
    const next = useStore()
    await vi.waitFor(() => expect(next.conversations).toMatchObject([{ id: first }]))
  })

  it('keeps the active conversation in a hot update, with one engine only', async () => {
    const disk = memoryStorage()
    const before = define(disk, [answer('old')])
    const store = before.useStore()
    await store.sendMessage('Hi')
    const { active } = store
    const engine = store.chat.engine.value
    const after = define(disk, [answer('new')])
    const hot = { data: { pinia }, invalidate: vi.fn() }
    acceptHMRUpdate(before.useStore, hot)({ useStore: after.useStore })
    expect(await engine.sendMessage('x')).toMatchObject({ error: { code: 'disposed' } })
    expect(store.active).toBe(active)
    await vi.waitFor(() => expect(store.messages).toHaveLength(2))
    await store.sendMessage('Again')
    expect(store.messages).toHaveLength(4)
    expect(after.transport.requests).toHaveLength(1)
    expect(store.conversations).toMatchObject([{ messageCount: 4 }])
  })
})
