// @vitest-environment node
import type { ConfirmationRecord } from '@assent/engine'
import { afterEach, expect, test, vi } from 'vitest'
import { createSSRApp, defineComponent, h } from 'vue'
import { renderToString } from 'vue/server-renderer'
import { provideMessage } from './message-context.ts'
import { approvalScene, calls } from './testing/approval-scene.ts'
import { useApprovals } from './use-approvals.ts'
import { useMessage } from './use-message.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

test('renders on a server what waits and what stands, without a timer or a warning', async () => {
  const warn = vi.spyOn(console, 'warn')
  const until = Date.now() + 6e4
  const confirmation: ConfirmationRecord = {
    id: 'given',
    conversationId: 'other',
    messageId: 'm',
    step: 1,
    toolCallId: 'c',
    toolName: 'list',
    fingerprint: '0'.repeat(64),
    at: 0,
    outcome: 'yes_always',
    scope: { covers: 'tool', where: 'everywhere', until },
  }
  const { chat, scope, transport } = approvalScene({ script: [calls('write:a', 'wipe:b')] })
  await chat.sendMessage('Go')
  vi.useFakeTimers()
  const messages = chat.messages.value
  const Below = defineComponent(() => {
    const { waiting, policies } = useApprovals()
    return () =>
      h('p', [...waiting.value, ...policies.value].map(({ toolName }) => toolName).join())
  })
  const App = defineComponent(() => {
    provideMessage(useMessage({ messages, confirmations: [confirmation], transport }))
    return () => h(Below)
  })
  expect(await renderToString(createSSRApp(App))).toBe('<p>write,wipe,list</p>')
  expect(vi.getTimerCount()).toBe(0)
  expect(warn).not.toHaveBeenCalled()
  scope.stop()
})
