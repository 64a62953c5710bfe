// @vitest-environment node
import { memoryStorage } from '@assent/engine/storage'
import { answer, scriptedTransport } from '@assent/engine/testing'
import { afterEach, expect, test, vi } from 'vitest'
import { createSSRApp, defineComponent, h } from 'vue'
import { renderToString } from 'vue/server-renderer'
import { conversationScene } from './testing/conversation-scene.ts'
import { useConversations } from './use-conversations.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
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
