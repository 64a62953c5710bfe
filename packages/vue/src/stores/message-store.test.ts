import { toolPlugin } from '@assent/engine'
import { defineStorage, memoryStorage } from '@assent/engine/storage'
import { answer, callTools, scriptedTransport } from '@assent/engine/testing'
import { acceptHMRUpdate, createPinia, setActivePinia, storeToRefs, type Pinia } from 'pinia'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { effectScope, nextTick, ref, watch } from 'vue'
import { z } from 'zod'
import { useApprovals } from '../use-approvals.ts'
import type { NewEngineOptions } from '../use-message-options.ts'
import { defineMessageStore } from './message-store.ts'

let pinia: Pinia
beforeEach(() => {
  pinia = createPinia()
  setActivePinia(pinia)
})

/** A store whose model answers so. */
function define(
  script: Parameters<typeof scriptedTransport>[0],
  more: Omit<NewEngineOptions, 'transport'> = {},
) {
  const transport = scriptedTransport(script)
  const useStore = defineMessageStore('chat', () => ({ ...more, onError() {}, transport }))
  return { useStore, transport }
}

/** Whether an engine is of no use any more. */
async function isDisposed(engine: { runPluginCommand: (...args: [string, string]) => unknown }) {
  const result = await engine.runPluginCommand('none', 'none')
  return JSON.stringify(result).includes('disposed')
}

const asks = () =>
  toolPlugin({
    tools: { write: { inputSchema: z.object({}), execute: () => 'written' } },
    toolApproval: { write: 'user-approval' },
  })
const write = callTools({ toolCallId: '1', toolName: 'write', input: {} })

describe('a store that is a conversation', () => {
  it('has a state that follows the engine and is plain JSON, with nothing of the engine in it', async () => {
    const { useStore } = define([answer('hello'), new Error('No luck.')])
    const store = useStore()
    await store.sendMessage('Hi')
    expect(store.messages).toHaveLength(2)
    expect(store.requestState).toBe('completed')
    await store.sendMessage('Again')
    expect(store.error).toEqual({
      code: 'http_network',
      message: expect.stringContaining('No luck.'),
      retryable: true,
    })
    const state: unknown = JSON.parse(JSON.stringify(pinia.state.value))
    expect(state).toEqual({ chat: { ...store.$state, turn: store.turn } })
    expect(Object.keys(store.$state).toSorted()).toEqual(
      ['confirmations', 'error', 'id', 'messages', 'queue', 'requestState', 'turn'].toSorted(),
    )
  })

  it('tells subscribers and watchers, and works taken apart', async () => {
    const { useStore } = define([answer('hello')])
    const { messages, requestState, isProcessing } = storeToRefs(useStore())
    const { sendMessage } = useStore()
    const states: string[] = []
    const changes = vi.fn()
    useStore().$subscribe(changes, { flush: 'sync' })
    watch(requestState, (state) => states.push(state), { flush: 'sync' })
    const sent = sendMessage('Hi')
    expect(isProcessing.value).toBe(true)
    await sent
    expect(states).toEqual(['processing', 'completed'])
    expect(messages.value).toHaveLength(2)
    expect(changes).toHaveBeenCalled()
  })

  it('is no state to be written: a patch changes nothing', async () => {
    const { useStore } = define([answer('hello')])
    const store = useStore()
    await store.sendMessage('Hi')
    store.$patch({ requestState: 'error' })
    store.$state = { ...store.$state, messages: [] }
    expect(store.requestState).toBe('completed')
    expect(store.messages).toHaveLength(2)
  })

  it('offers the conversation to the other composables', async () => {
    const { useStore } = define([write, answer('done')], { plugins: [asks()] })
    const store = useStore()
    await store.sendMessage('Write')
    const scope = effectScope()
    const approvals = scope.run(() => useApprovals(store.chat))
    expect(approvals?.count.value).toBe(1)
    expect(store.isPaused).toBe(true)
    await approvals?.decideAll('yes')
    await vi.waitFor(() => expect(store.requestState).toBe('completed'))
    scope.stop()
  })

  it('takes over what a server rendered: id, messages and confirmations', async () => {
    const server = createPinia()
    setActivePinia(server)
    const rendered = define([write], { plugins: [asks()] }).useStore()
    await rendered.sendMessage('Write')
    const state: unknown = JSON.parse(JSON.stringify(server.state.value))

    setActivePinia(pinia)
    pinia.state.value = state as typeof pinia.state.value
    const { useStore, transport } = define([answer('done')], { plugins: [asks()] })
    const store = useStore()
    expect(store.id).toBe(rendered.id)
    expect(store.messages).toEqual(rendered.messages)
    expect(store.isPaused).toBe(true)
    await store.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '1' })
    await vi.waitFor(() => expect(store.requestState).toBe('completed'))
    expect(transport.requests).toHaveLength(1)
    // The state is live, not what came from the server.
    expect(pinia.state.value['chat']?.['requestState']).toBe('completed')
  })

  it('does not take over what was rendered of another conversation', () => {
    const messages = [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }]
    pinia.state.value = { chat: { id: 'other', messages } }
    expect(define([], { id: 'mine' }).useStore().messages).toEqual([])
  })

  it('begins anew by $reset, and disposes the engine of before', async () => {
    const { useStore } = define([answer('hello')])
    const store = useStore()
    await store.sendMessage('Hi')
    const engine = store.chat.engine.value
    const { chat } = store
    store.$reset()
    expect(store.messages).toEqual([])
    expect(store.requestState).toBe('idle')
    expect(chat.messages.value).toEqual([])
    expect(await isDisposed(engine)).toBe(true)
  })

  it('disposes the engine by $dispose, and goes on from the state when it is used again', async () => {
    const { useStore } = define([answer('hello'), answer('more')])
    const store = useStore()
    await store.sendMessage('Hi')
    const engine = store.chat.engine.value
    store.$dispose()
    expect(await isDisposed(engine)).toBe(true)
    const next = useStore()
    expect(next.messages).toHaveLength(2)
    await next.sendMessage('More')
    expect(next.messages).toHaveLength(4)
  })

  it('follows the id of its options', async () => {
    const id = ref('one')
    const { useStore } = define([answer('hello')], { id })
    const store = useStore()
    await store.sendMessage('Hi')
    id.value = 'two'
    expect(store.id).toBe('two')
    expect(store.messages).toEqual([])
  })

  it('keeps its conversation in the store of the engine', async () => {
    const storage = defineStorage(memoryStorage())
    const first = define([answer('hello')], { id: 'kept', storage }).useStore()
    await first.sendMessage('Hi')
    first.$dispose()
    setActivePinia(createPinia())
    const second = define([], { id: 'kept', storage }).useStore()
    await vi.waitFor(() => expect(second.messages).toHaveLength(2))
    second.$reset()
    await vi.waitFor(() => expect(second.messages).toHaveLength(2))
  })
})

describe('a hot update', () => {
  it('goes on with the messages by the new options, with one engine only', async () => {
    const before = define([answer('old')])
    const store = before.useStore()
    const { chat } = store
    await store.sendMessage('Hi')
    const engine = chat.engine.value
    const after = define([answer('new')])
    const hot = { data: { pinia }, invalidate: vi.fn() }
    acceptHMRUpdate(before.useStore, hot)({ useStore: after.useStore })
    expect(await isDisposed(engine)).toBe(true)
    expect(store.messages).toHaveLength(2)
    await store.sendMessage('Again')
    expect(after.transport.requests).toHaveLength(1)
    expect(before.transport.requests).toHaveLength(1)
    expect(store.messages).toHaveLength(4)
    expect(chat.messages.value).toHaveLength(4)
    expect(store.requestState).toBe('completed')
    await nextTick()
    expect(JSON.parse(JSON.stringify(pinia.state.value)).chat.messages).toHaveLength(4)
    const last = store.chat.engine.value
    expect(last).not.toBe(engine)
    store.$dispose()
    expect(await isDisposed(last)).toBe(true)
    expect(hot.invalidate).not.toHaveBeenCalled()
  })
})
