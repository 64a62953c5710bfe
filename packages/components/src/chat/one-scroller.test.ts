import { expect, test } from 'vitest'
import { render } from 'vitest-browser-vue'
import { page } from 'vitest/browser'
import { defineComponent, h, shallowRef } from 'vue'
import { createChatDouble } from '../../test/chat-double.ts'
import { ask, assistant, user } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'
import AsBubbleList from '../bubble/AsBubbleList.vue'

const messages = [
  ...Array.from({ length: 20 }, (_, index) => user(`u${index}`, 'What now?\n\nAnd then?')),
  assistant('a', ask('write_note', 'c', { title: 'Rent' }, { summary: 'Write c', risk: 'write' })),
]
const sources = new Map(messages.map((message) => [message.id, shallowRef(message)]))
const long = () => createChatDouble({ requestState: 'paused', messages })

test('nothing moves a chat out of its frame: only its list scrolls', async () => {
  await mountChat(long(), { height: 400 })
  await expect.element(page.getByRole('group', { name: 'Write c' })).toBeVisible()
  const chat = slotElement('chat')
  // As a browser does to bring into view what was focused.
  chat.scrollTop = 300
  expect(chat.scrollTop).toBe(0)
  expect(document.documentElement.scrollHeight).toBeLessThanOrEqual(innerHeight)
})

test('a list in a box that scrolls makes the page around it no longer', async () => {
  const box = { blockSize: '200px', overflow: 'auto' }
  const message = (id: string) => sources.get(id)!
  const Page = defineComponent(
    () => () =>
      h('div', { style: box }, [h(AsBubbleList, { messageIds: [...sources.keys()], message })]),
  )
  await page.viewport(800, 600)
  const { container } = await render(Page)
  await expect.poll(() => container.querySelectorAll('[data-slot="ask"]').length).toBe(1)
  expect(container.firstElementChild?.scrollHeight).toBeGreaterThan(1_000)
  expect(document.documentElement.scrollHeight).toBeLessThanOrEqual(innerHeight)
})
