// @vitest-environment node
import { createMessageEngine } from '@assent/engine'
import { answer, scriptedTransport } from '@assent/engine/testing'
import type { UIMessage } from 'ai'
import { afterEach, expect, test, vi } from 'vitest'
import { createSSRApp, defineComponent, h, ref, Suspense } from 'vue'
import { renderToString } from 'vue/server-renderer'
import { messageList } from './testing/message-list.ts'
import { observeEngine } from './testing/observed-engine.ts'
import { useMessage } from './use-message.ts'

const messages: UIMessage[] = [
  { id: 'a', role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
  { id: 'b', role: 'assistant', parts: [{ type: 'text', text: 'Hello' }] },
]

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

test('renders on a server, without a subscription and without a warning', async () => {
  expect(globalThis).not.toHaveProperty('window')
  const warn = vi.spyOn(console, 'warn')
  const { engine, subscriptions, subscribedMessages } = observeEngine(
    createMessageEngine({ messages, transport: scriptedTransport() }),
  )
  const id = ref('c')
  const App = defineComponent(() => {
    const own = useMessage({ id, messages, transport: scriptedTransport() })
    const other = useMessage({ engine })
    return () => [messageList(own), messageList(other)]
  })
  const once = '<ul><li>Hi</li><li>Hello</li><li>idle 2</li></ul>'
  expect(await renderToString(createSSRApp(App))).toBe(`<!--[-->${once}${once}<!--]-->`)
  expect(subscriptions()).toBe(0)
  expect(subscribedMessages).toEqual([])
  expect(warn).not.toHaveBeenCalled()
})

test('shows on a server what streamed until then, and leaves no timer behind', async () => {
  vi.useFakeTimers()
  const transport = scriptedTransport()
  const held = transport.hold()
  const App = defineComponent({
    async setup() {
      const chat = useMessage({ messages, transport })
      void chat.sendMessage('More')
      await held.push(
        { type: 'start', messageId: 'answer' },
        { type: 'start-step' },
        { type: 'text-start', id: 't' },
        { type: 'text-delta', id: 't', delta: 'Half' },
        { type: 'text-delta', id: 't', delta: ' an answer' },
      )
      return () => messageList(chat)
    },
  })
  const html = await renderToString(createSSRApp(() => h(Suspense, null, [h(App)])))
  expect(html).toContain('<li>Half')
  expect(html).toContain('<li>processing 4</li>')
  // What watches the stream goes with it; nothing is left to be published.
  held.fail(new Error('The page has gone.'))
  await vi.advanceTimersByTimeAsync(0)
  expect(vi.getTimerCount()).toBe(0)
})

test('shows on a server what was awaited there', async () => {
  const App = defineComponent({
    async setup() {
      const chat = useMessage({ messages, transport: scriptedTransport([answer('Rendered')]) })
      expect(chat.messages.value).toHaveLength(2)
      expect(chat.requestState.value).toBe('idle')
      await chat.sendMessage('More')
      return () => messageList(chat)
    },
  })
  const html = await renderToString(createSSRApp(() => h(Suspense, null, [h(App)])))
  expect(html).toContain('<li>Rendered</li><li>completed 4</li>')
})
