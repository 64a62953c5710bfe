import { defineStorage, memoryStorage, type MemoryStorage } from '@assent/engine/storage'
import { answer, scriptedTransport } from '@assent/engine/testing'
import { useMessage, type UseMessageReturn } from '@assent/vue'
import type { FileUIPart } from 'ai'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-vue'
import { defineComponent, h, shallowRef } from 'vue'
import AsChat from '../chat/AsChat.vue'
import '../style/index.css'

const field = () => page.getByRole('textbox', { name: 'Message' })
const restored = () => page.getByText('Draft restored')

/** A chat whose conversations are kept on this disk. */
async function open(disk: MemoryStorage, props: object = {}) {
  const id = shallowRef('one')
  let chat: UseMessageReturn | undefined
  const App = defineComponent(() => {
    const opened = useMessage({
      id: () => id.value,
      storage: defineStorage(disk),
      transport: scriptedTransport([answer('Fine'), answer('Fine')]),
    })
    chat = opened
    return () => h('div', { style: 'block-size: 600px' }, [h(AsChat, { chat: opened, ...props })])
  })
  const { unmount } = await render(App)
  await chat!.engine.value.ready
  return { id, unmount, chat: chat! }
}

test('what is written is there again after a reload, says so, and can be thrown away', async () => {
  const disk = memoryStorage()
  const first = await open(disk)
  await userEvent.fill(field(), 'Half a thou')
  expect(restored().elements()).toHaveLength(0)
  first.unmount()
  const second = await open(disk)
  await expect.element(field()).toHaveValue('Half a thou')
  await expect.element(restored()).toBeVisible()
  // Going on with it makes it the person's own again.
  await userEvent.type(field(), 'ght')
  await expect.element(restored()).not.toBeInTheDocument()
  second.unmount()
  const third = await open(disk)
  await expect.element(field()).toHaveValue('Half a thought')
  await page.getByRole('button', { name: 'Discard' }).click()
  await expect.element(field()).toHaveValue('')
  await expect.element(field()).toHaveFocus()
  third.unmount()
  await open(disk)
  await expect.element(field()).toBeVisible()
  await expect.element(field()).toHaveValue('')
  expect(restored().elements()).toHaveLength(0)
})

test('what was sent does not come back', async () => {
  const disk = memoryStorage()
  const first = await open(disk)
  await userEvent.fill(field(), 'Sent')
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => first.chat.requestState.value).toBe('completed')
  first.unmount()
  const second = await open(disk)
  await expect.poll(() => second.chat.messageIds.value.length).toBe(2)
  await expect.element(field()).toHaveValue('')
})

test('each conversation has its own, with the files that were uploaded', async () => {
  const disk = memoryStorage()
  const part: FileUIPart = {
    type: 'file',
    mediaType: 'text/plain',
    filename: 'plan.txt',
    url: 'https://files.example/plan.txt',
  }
  const { id, chat } = await open(disk, { composer: { attach: true, upload: async () => part } })
  await userEvent.fill(field(), 'About one')
  const input = document.querySelector<HTMLInputElement>('[data-slot="file-input"]')!
  await userEvent.upload(input, new File(['Plan'], 'plan.txt', { type: 'text/plain' }))
  const attached = page.getByRole('list', { name: 'Attached files' }).getByRole('listitem')
  await expect.element(attached.first()).toMatchTextContent('plan.txt')
  id.value = 'two'
  await chat.engine.value.ready
  await expect.element(field()).toHaveValue('')
  await expect.poll(() => attached.elements()).toHaveLength(0)
  await userEvent.fill(field(), 'About two')
  id.value = 'one'
  await chat.engine.value.ready
  await expect.element(field()).toHaveValue('About one')
  await expect.element(attached.first()).toMatchTextContent('plan.txt')
  await expect.element(restored()).toBeVisible()
  id.value = 'two'
  await chat.engine.value.ready
  await expect.element(field()).toHaveValue('About two')
})

test('keeps nothing where it is told so', async () => {
  const disk = memoryStorage()
  const first = await open(disk, { composer: { draftKey: '' } })
  await userEvent.fill(field(), 'Secret')
  first.unmount()
  await open(disk, { composer: { draftKey: '' } })
  await expect.element(field()).toHaveValue('')
})
