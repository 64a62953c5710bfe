import { answer, scriptedTransport } from '@assent/engine/testing'
import type { UIMessage } from 'ai'
import { afterEach, expect, test, vi } from 'vitest'
import { createSSRApp, defineComponent, nextTick } from 'vue'
import { renderToString } from 'vue/server-renderer'
import { messageList } from './testing/message-list.ts'
import { useMessage, type UseMessageReturn } from './use-message.ts'

const messages: UIMessage[] = [
  { id: 'a', role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
  { id: 'b', role: 'assistant', parts: [{ type: 'text', text: 'Hello' }] },
]

afterEach(() => {
  vi.restoreAllMocks()
})

test('a server hands its messages to the client as JSON, where they hydrate and go on', async () => {
  const warn = vi.spyOn(console, 'warn')
  const error = vi.spyOn(console, 'error')
  let payload = ''
  const Server = defineComponent(() => {
    const chat = useMessage({ id: 'c', messages, transport: scriptedTransport() })
    payload = JSON.stringify({ id: chat.id.value, messages: chat.messages.value })
    return () => messageList(chat)
  })
  const root = document.createElement('div')
  root.innerHTML = await renderToString(createSSRApp(Server))
  expect(root.textContent).toBe('HiHelloidle 2')
  const serverNodes = [...root.querySelectorAll('li')]

  const handed: { id: string; messages: UIMessage[] } = JSON.parse(payload)
  expect(handed).toEqual({ id: 'c', messages })
  let chat: UseMessageReturn | undefined
  const app = createSSRApp(
    defineComponent(() => {
      const own = useMessage({ ...handed, transport: scriptedTransport([answer('Alive')]) })
      chat = own
      return () => messageList(own)
    }),
  )
  app.mount(root)
  expect([...root.querySelectorAll('li')]).toEqual(serverNodes)
  await chat?.sendMessage('More')
  await nextTick()
  expect(root.textContent).toBe('HiHelloMoreAlivecompleted 4')
  expect(warn).not.toHaveBeenCalled()
  expect(error).not.toHaveBeenCalled()
  app.unmount()
})
