import { EngineError } from '@assent/engine'
import { answer, scriptedTransport } from '@assent/engine/testing'
import { useMessage } from '@assent/vue'
import { beforeEach, expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-vue'
import { defineComponent, h, shallowRef } from 'vue'
import { createChatDouble } from '../../../test/chat-double.ts'
import { assistant, text, user } from '../../../test/fixtures.ts'
import { mountChat, slotElement } from '../../../test/mount.ts'
import AsChat from '../../chat/AsChat.vue'
import AsBubbleList from '../AsBubbleList.vue'
import type { MessageAction } from './message-actions.ts'
import '../../style/index.css'

const button = (name: string) => page.getByRole('button', { name, exact: true })
const bubble = (index: number) => page.getByRole('article').nth(index)
const field = () => page.getByRole('textbox', { name: 'Edit your message' })
const messages = [
  user('u1', 'Which *cats* are there?'),
  assistant('a1', text('**Many** cats.'), text('And more.')),
  user('u2', 'And dogs?'),
  assistant('a2', text('Dogs, too.')),
]

beforeEach(async () => {
  await userEvent.hover(document.body)
})

test('copies the source of a message, and says so', async () => {
  const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
  await mountChat(createChatDouble({ messages }))
  await bubble(1).hover()
  await bubble(1).getByRole('button', { name: 'Copy' }).click()
  await expect.element(bubble(1).getByRole('button', { name: 'Copied' })).toBeVisible()
  expect(write.mock.calls).toEqual([['**Many** cats.\n\nAnd more.']])
  expect(slotElement('announcements').textContent).toContain('Copied')
  write.mockRejectedValue(new DOMException('Not allowed.', 'NotAllowedError'))
  await bubble(3).getByRole('button', { name: 'Copy' }).click()
  await expect.poll(() => slotElement('announcements').textContent).toContain('Couldn’t copy')
  expect(bubble(3).getByRole('button', { name: 'Copied' }).elements()).toHaveLength(0)
  vi.restoreAllMocks()
})

test('changes a message of the person in its place, and says what is dropped', async () => {
  const double = createChatDouble({ messages })
  await mountChat(double)
  await bubble(0).hover()
  await bubble(0).getByRole('button', { name: 'Edit' }).click()
  await expect.element(field()).toHaveFocus()
  await expect.element(field()).toHaveValue('Which *cats* are there?')
  await expect.element(page.getByText(/replaces the 3 messages after this one/)).toBeVisible()
  await userEvent.keyboard('{Escape}')
  await expect.element(bubble(0).getByRole('button', { name: 'Edit' })).toHaveFocus()
  expect(double.calls).toEqual([])
  await userEvent.keyboard('{Enter}')
  await userEvent.fill(field(), 'Which birds?')
  await userEvent.keyboard('{Enter}')
  expect(double.calls).toEqual([
    { method: 'editMessage', args: ['u1', { text: 'Which birds?', files: [] }] },
  ])
  // The conversation took it.
  double.put(user('u1', 'Which birds?'))
  await expect.element(page.getByRole('textbox', { name: 'Message', exact: true })).toHaveFocus()
  await expect.element(bubble(0).getByText('Which birds?')).toBeVisible()
})

test('keeps what was written when the change is refused, and says why', async () => {
  const double = createChatDouble({ messages })
  double.chat.editMessage = async () => ({
    turnId: undefined,
    requestState: 'completed',
    error: new EngineError('busy', 'Another tab answers.'),
  })
  await mountChat(double)
  await bubble(2).hover()
  await bubble(2).getByRole('button', { name: 'Edit' }).click()
  await userEvent.fill(field(), 'And fish?')
  await button('Send again').click()
  await expect.element(page.getByRole('alert')).toMatchTextContent('Wait until the reply finishes.')
  await expect.element(field()).toHaveValue('And fish?')
})

test('asks for another answer in the place of the last one only, and not while one comes', async () => {
  const double = createChatDouble({ messages })
  await mountChat(double)
  await expect.element(bubble(3).getByRole('button', { name: 'Regenerate' })).toBeVisible()
  await bubble(1).hover()
  expect(bubble(1).getByRole('button', { name: 'Regenerate' }).elements()).toHaveLength(0)
  await button('Regenerate').click()
  expect(double.calls).toEqual([{ method: 'regenerate', args: [{ messageId: 'a2' }] }])
  const height = () => slotElement('bubble', 3).getBoundingClientRect().height
  const before = height()
  double.set({ requestState: 'processing', processingState: 'requesting' })
  await expect.poll(() => button('Regenerate').elements()).toHaveLength(0)
  expect(height()).toBe(before)
  await bubble(0).hover()
  const edit = bubble(0).getByRole('button', { name: 'Edit' })
  await expect.element(edit).toHaveAttribute('aria-disabled', 'true')
  await edit.click({ force: true })
  expect(field().elements()).toHaveLength(0)
})

test('tells the app what a person thinks of an answer, and shows what the app knows', async () => {
  const feedback = vi.fn()
  await mountChat(createChatDouble({ messages }), {
    props: {
      actions: ['copy', 'feedback'] satisfies MessageAction[],
      feedbackOf: (id: string) => (id === 'a2' ? 'bad' : undefined),
      onFeedback: feedback,
    },
  })
  await expect.element(button('Bad answer')).toHaveAttribute('aria-pressed', 'true')
  await button('Good answer').click()
  await expect.element(button('Good answer')).toHaveAttribute('aria-pressed', 'true')
  await expect.element(button('Bad answer')).toHaveAttribute('aria-pressed', 'false')
  await button('Good answer').click()
  expect(feedback.mock.calls).toEqual([
    ['a2', 'good'],
    ['a2', undefined],
  ])
})

test('is one stop of the Tab key per message, reached without a pointer', async () => {
  await mountChat(createChatDouble({ messages }))
  slotElement('scroller').focus()
  await userEvent.keyboard('{Tab}')
  // What stood for the buttons has given way to them.
  const copy = bubble(0).getByRole('button', { name: 'Copy' })
  await expect.element(copy).toHaveFocus()
  await userEvent.keyboard('{ArrowRight}')
  await expect.element(bubble(0).getByRole('button', { name: 'Edit' })).toHaveFocus()
  await userEvent.keyboard('{ArrowRight}')
  await expect.element(copy).toHaveFocus()
  await userEvent.keyboard('{End}')
  await userEvent.keyboard('{Tab}')
  await expect.element(bubble(1).getByRole('button', { name: 'Copy' })).toHaveFocus()
  await userEvent.keyboard('{Shift>}{Tab}{/Shift}')
  // The one that had the focus last has it again.
  await expect.element(bubble(0).getByRole('button', { name: 'Edit' })).toHaveFocus()
})

test('nothing moves when the buttons come', async () => {
  await mountChat(createChatDouble({ messages }))
  const heights = () =>
    [...document.querySelectorAll('article')].map((one) => one.getBoundingClientRect().height)
  const before = heights()
  await bubble(0).hover()
  await expect.element(bubble(0).getByRole('button', { name: 'Copy' })).toBeVisible()
  expect(heights()).toEqual(before)
})

test('works without a conversation: the list tells what is to be done', async () => {
  const sources = new Map(messages.map((message) => [message.id, shallowRef(message)]))
  const seen: unknown[] = []
  const App = defineComponent(
    () => () =>
      h(AsBubbleList, {
        messageIds: [...sources.keys()],
        message: (id: string) => sources.get(id)!,
        actions: ['edit', 'regenerate', 'feedback'],
        onEdit: (...args: unknown[]) => seen.push(['edit', ...args]),
        onRegenerate: (...args: unknown[]) => seen.push(['regenerate', ...args]),
        onFeedback: (...args: unknown[]) => seen.push(['feedback', ...args]),
      }),
  )
  await render(App)
  await button('Regenerate').click()
  await button('Good answer').click()
  await bubble(2).hover()
  await bubble(2).getByRole('button', { name: 'Edit' }).click()
  await userEvent.fill(field(), 'And fish?')
  await userEvent.keyboard('{Enter}')
  expect(seen).toEqual([
    ['regenerate', 'a2'],
    ['feedback', 'a2', 'good'],
    ['edit', 'u2', { text: 'And fish?', files: [] }],
  ])
  await expect.element(field()).not.toBeInTheDocument()
})

test('takes further actions from a slot', async () => {
  await mountChat(createChatDouble({ messages }), {
    slots: {
      'message-actions': ({ message, isLast }: never) =>
        h('button', `Share ${(message as { id: string }).id} ${isLast as boolean}`),
    },
  })
  await expect.element(button('Share a2 true')).toBeVisible()
})

test('the whole way: another answer, then another question', async () => {
  const transport = scriptedTransport([answer('One'), answer('Two'), answer('Three')])
  const App = defineComponent(() => {
    const chat = useMessage({ transport })
    return () => h('div', { style: 'block-size: 700px' }, [h(AsChat, { chat })])
  })
  await render(App)
  await userEvent.fill(page.getByRole('textbox', { name: 'Message' }), 'Question')
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByText('One')).toBeVisible()
  await button('Regenerate').click()
  await expect.element(page.getByText('Two')).toBeVisible()
  expect(page.getByText('One').elements()).toHaveLength(0)
  await bubble(0).hover()
  await bubble(0).getByRole('button', { name: 'Edit' }).click()
  await userEvent.fill(field(), 'Better question')
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByText('Three')).toBeVisible()
  await expect.element(page.getByText('Better question')).toBeVisible()
  expect(page.getByRole('article').elements()).toHaveLength(2)
})
