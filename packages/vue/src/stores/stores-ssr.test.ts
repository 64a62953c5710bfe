// @vitest-environment node
import { memoryStorage } from '@assent/engine/storage'
import { answer, scriptedTransport } from '@assent/engine/testing'
import { createPinia, setActivePinia, type Pinia } from 'pinia'
import { afterEach, expect, test, vi } from 'vitest'
import { createSSRApp, defineComponent, h, onServerPrefetch } from 'vue'
import { renderToString } from 'vue/server-renderer'
import { defineConversationsStore } from './conversations-store.ts'
import { defineMessageStore } from './message-store.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const disk = memoryStorage()
const useChat = defineMessageStore('chat', () => ({
  transport: scriptedTransport([answer('from the server')]),
}))
const useChats = defineConversationsStore('chats', () => ({
  storage: disk,
  engine: () => ({ transport: scriptedTransport([answer('from the server')]) }),
}))

async function render(pinia: Pinia, ask: boolean): Promise<string> {
  const App = defineComponent(() => {
    const chat = useChat()
    const chats = useChats()
    if (ask) {
      onServerPrefetch(async () => {
        await chat.sendMessage('Hi')
        await chats.sendMessage('Hi')
      })
    }
    return () =>
      h('p', [chat.messages.length, chats.messages.length, chats.conversations.length].join())
  })
  return renderToString(createSSRApp(App).use(pinia))
}

test('a page rendered on a server goes on in the browser, with the ids of the server', async () => {
  const warn = vi.spyOn(console, 'warn')
  const uses = (['read', 'write', 'remove', 'list'] as const).map((name) => vi.spyOn(disk, name))
  const server = createPinia()
  expect(await render(server, true)).toBe('<p>2,2,0</p>')
  expect(uses.flatMap(({ mock }) => mock.calls)).toEqual([])
  const state = JSON.parse(JSON.stringify(server.state.value))
  expect(state.chat.messages).toHaveLength(2)

  const client = createPinia()
  client.state.value = structuredClone(state)
  setActivePinia(client)
  const [chat, chats] = [useChat(client), useChats(client)]
  expect(chat.id).toBe(state.chat.id)
  expect(chat.messages).toEqual(state.chat.messages)
  expect(chats.active).toBe(state.chats.active)
  expect(chats.messages).toEqual(state.chats.messages)
  await vi.waitFor(() => expect(chats.conversations).toMatchObject([{ messageCount: 2 }]))
  expect(warn).not.toHaveBeenCalled()
})

test('what one visitor is answered is not in the page of another, which leaves no timer', async () => {
  expect(await render(createPinia(), true)).toBe('<p>2,2,0</p>')
  vi.useFakeTimers()
  expect(await render(createPinia(), false)).toBe('<p>0,0,0</p>')
  expect(vi.getTimerCount()).toBe(0)
})
