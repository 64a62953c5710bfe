// @vitest-environment node
import { connectConversations } from '@assent/engine/remote'
import { defineStorage, memoryStorage } from '@assent/engine/storage'
import { answer, scriptedTransport } from '@assent/engine/testing'
import { afterEach, expect, test, vi } from 'vitest'
import { createSSRApp, defineComponent, h } from 'vue'
import { renderToString } from 'vue/server-renderer'
import { conversationScene } from './testing/conversation-scene.ts'
import { useConversations } from './use-conversations.ts'
import { useMessage } from './use-message.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

test('renders on a server an empty list and the given messages; nothing is read or left behind', async () => {
  const warn = vi.spyOn(console, 'warn')
  const disk = memoryStorage()
  const page = conversationScene(disk)
  page.transport('c1').add(answer('there'))
  await page.chat.sendMessage('Hi')
  page.scope.stop()
  const messages = page.chat.messages.value
  const uses = (['read', 'write', 'remove', 'list'] as const).map((name) => vi.spyOn(disk, name))
  vi.useFakeTimers()
  const App = defineComponent(() => {
    const { conversations, chat, active, isLoaded } = useConversations({
      storage: disk,
      id: 'c1',
      engine: () => ({ transport: scriptedTransport(), messages }),
    })
    return () =>
      h(
        'p',
        [
          active.value,
          conversations.value.length,
          isLoaded.value,
          chat.messages.value.length,
        ].join(),
      )
  })
  expect(await renderToString(createSSRApp(App))).toBe('<p>c1,0,false,2</p>')
  expect(uses.flatMap(({ mock }) => mock.calls)).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
  expect(warn).not.toHaveBeenCalled()
})

test.each(['wss://example.org/conversations', '/conversations'])(
  'renders on a server without a connection to %s, and leaves nothing behind',
  async (url) => {
    const warn = vi.spyOn(console, 'warn')
    const failed = vi.spyOn(console, 'error')
    const connected = vi.fn()
    vi.stubGlobal('WebSocket', connected)
    vi.useFakeTimers()
    const App = defineComponent(() => {
      const { storage } = connectConversations({ url })
      const { chat, conversations } = useConversations({
        storage,
        engine: () => ({ transport: scriptedTransport() }),
      })
      const single = useMessage({
        id: 'c1',
        transport: scriptedTransport(),
        storage: defineStorage(storage),
      })
      return () =>
        h(
          'p',
          [chat, single]
            .map(({ messages }) => messages.value.length + conversations.value.length)
            .join(),
        )
    })
    for (let render = 0; render < 3; render++) {
      expect(await renderToString(createSSRApp(App))).toBe('<p>0,0</p>')
    }
    await vi.runAllTimersAsync()
    expect(connected).not.toHaveBeenCalled()
    expect([...warn.mock.calls, ...failed.mock.calls]).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  },
)
