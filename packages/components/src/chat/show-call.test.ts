import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { render } from 'vitest-browser-vue'
import { defineComponent, h, shallowRef } from 'vue'
import { createChatDouble } from '../../test/chat-double.ts'
import { ask, assistant, call, succeeded, text, user } from '../../test/fixtures.ts'
import { AsChat } from './index.ts'
import '../style/index.css'

const read = (id: string) =>
  succeeded(call('read_file', id, { state: 'input-available', input: { path: id } }), 'text')
const turns = Array.from({ length: 12 }, (_, turn) => [
  user(`u${turn}`, `Request ${turn}`),
  assistant(`a${turn}`, text('A word.\n\n'.repeat(8)), read('call'), text(`Answer ${turn}`)),
]).flat()
const folded = assistant('folded', read('f1'), read('f2'), read('f3'), read('f4'), text('Read.'))
const waiting = assistant('waiting', ask('write_note', 'w', { path: 'a' }, { summary: 'Write it' }))

/** What the chat exposes, as far as it is used here. */
interface Exposed {
  showCall(call: { messageId: string; toolCallId: string }): Promise<boolean>
}

async function mountLongChat(virtual = false) {
  const chat = shallowRef<Exposed>()
  const double = createChatDouble({
    requestState: 'paused',
    messages: [folded, ...turns, user('u', 'And now?'), waiting],
  })
  await page.viewport(800, 900)
  await render(
    defineComponent(
      () => () =>
        h('div', { style: 'block-size: 600px' }, [
          h(AsChat, {
            chat: double.chat,
            virtual,
            ref: (instance) => {
              chat.value = instance as unknown as Exposed
            },
          }),
        ]),
    ),
  )
  await expect.element(page.getByRole('group', { name: 'Write it' })).toBeInViewport()
  return chat.value!
}

test.each([false, true])(
  'goes to the line of a call that is over, virtual: %s',
  async (virtual) => {
    const chat = await mountLongChat(virtual)
    // Providers reuse ids: the message belongs to it.
    expect(await chat.showCall({ messageId: 'a3', toolCallId: 'call' })).toBe(true)
    const line = document.activeElement?.closest<HTMLElement>('[data-slot="tool-call"]')
    expect(line?.dataset).toMatchObject({ call: 'call', message: 'a3' })
    await expect.element(line!).toBeInViewport()
  },
)

test('goes to a card that asks', async () => {
  const chat = await mountLongChat()
  await chat.showCall({ messageId: 'a0', toolCallId: 'call' })
  expect(await chat.showCall({ messageId: 'waiting', toolCallId: 'w' })).toBe(true)
  await expect.element(page.getByRole('group', { name: 'Write it' })).toHaveFocus()
})

test('goes to the message of a call that is folded away', async () => {
  const chat = await mountLongChat()
  expect(await chat.showCall({ messageId: 'folded', toolCallId: 'f2' })).toBe(false)
  await expect.element(page.getByText('Read.', { exact: true })).toBeInViewport()
  expect(document.activeElement?.textContent).toContain('Read 4 files')
})

test('says that a call is not there', async () => {
  const chat = await mountLongChat()
  expect(await chat.showCall({ messageId: 'a3', toolCallId: 'none' })).toBe(false)
})
