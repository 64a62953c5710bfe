import type { QueuedMessage } from '@assent/engine'
import { answer, scriptedTransport } from '@assent/engine/testing'
import { useMessage, type UseMessageReturn } from '@assent/vue'
import { afterEach, expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-vue'
import { defineComponent, h } from 'vue'
import { user } from '../../test/fixtures.ts'
import AsChat from '../chat/AsChat.vue'
import '../style/index.css'
import AsQueue from './AsQueue.vue'

afterEach(() => void vi.useRealTimers())

const waiting = page.getByRole('list', { name: 'Queued messages' })
const row = (text: string) => waiting.getByRole('listitem').filter({ hasText: text })
const texts = () =>
  waiting
    .getByRole('listitem')
    .elements()
    .map((item) => item.querySelector('.as-queue-text')?.textContent)

function queued(...names: string[]): QueuedMessage[] {
  return names.map((name) => ({ id: name, message: user(name, `Say ${name}`), held: false }))
}

/** A pointer that does this on an element, at a height of the page. */
function point(type: string, target: EventTarget, clientY: number): void {
  const init = { clientY, pointerId: 1, button: 0, bubbles: true, cancelable: true }
  target.dispatchEvent(new PointerEvent(type, init))
}

function middleOf(text: string): number {
  const { top, height } = row(text).element().getBoundingClientRect()
  return top + height / 2
}

test('is put in order by dragging: shown while it is dragged, meant when it is let go', async () => {
  const { emitted } = await render(AsQueue, { props: { queue: queued('a', 'b', 'c') } })
  const grip = () => row('Say a').getByRole('button', { name: 'Move “Say a”' }).element()
  point('pointerdown', grip(), middleOf('Say a'))
  point('pointermove', window, middleOf('Say c') + 1)
  await expect.poll(texts).toEqual(['Say b', 'Say c', 'Say a'])
  expect(emitted('move')).toBeUndefined()
  point('pointerup', window, middleOf('Say c'))
  expect(emitted('move')).toEqual([['a', 2]])
  // It is the list's owner who says how it is.
  await expect.poll(texts).toEqual(['Say a', 'Say b', 'Say c'])
  point('pointerdown', grip(), middleOf('Say a'))
  point('pointermove', window, middleOf('Say c') + 1)
  await expect.poll(texts).toEqual(['Say b', 'Say c', 'Say a'])
  await userEvent.keyboard('{Escape}')
  await expect.poll(texts).toEqual(['Say a', 'Say b', 'Say c'])
  expect(emitted('move')).toHaveLength(1)
})

test('is put in order by keys, and the grip keeps the focus', async () => {
  const { emitted, rerender } = await render(AsQueue, { props: { queue: queued('a', 'b', 'c') } })
  const grip = row('Say c').getByRole('button', { name: 'Move “Say c”' })
  grip.element().focus()
  await userEvent.keyboard('{ArrowDown}')
  expect(emitted('move')).toBeUndefined()
  await userEvent.keyboard('{ArrowUp}')
  await rerender({ queue: queued('a', 'c', 'b') })
  await expect.element(grip).toHaveFocus()
  await userEvent.keyboard('{Home}')
  expect(emitted('move')).toEqual([
    ['c', 1],
    ['c', 0],
  ])
})

test('a removal holds the message back at once, and can be undone for a while', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { emitted, rerender } = await render(AsQueue, {
    props: { queue: queued('a', 'b'), requestState: 'processing' },
  })
  await row('Say a')
    .getByRole('button', { name: /^Remove / })
    .click()
  expect(emitted('hold')).toEqual([['a', true]])
  const [a, b] = queued('a', 'b')
  await rerender({ queue: [{ ...a!, held: true }, b!] })
  await expect.element(row('Say a')).toMatchTextContent('Removed')
  await expect.element(row('Say a')).not.toMatchTextContent('Paused')
  const undo = row('Say a').getByRole('button', { name: 'Undo' })
  await expect.element(undo).toHaveFocus()
  await undo.click()
  expect(emitted('hold')).toEqual([
    ['a', true],
    ['a', false],
  ])
  await expect.element(row('Say a').getByRole('button', { name: /^Remove / })).toHaveFocus()
  vi.advanceTimersByTime(60_000)
  expect(emitted('remove')).toBeUndefined()

  await row('Say b')
    .getByRole('button', { name: /^Remove / })
    .click()
  // The pointer goes elsewhere.
  await userEvent.hover(document.body)
  ;(document.activeElement as HTMLElement).blur()
  vi.advanceTimersByTime(6_000)
  expect(emitted('remove')).toEqual([['b']])
})

test('what was undone after a stop stays held back', async () => {
  const { emitted } = await render(AsQueue, {
    props: { queue: queued('a'), requestState: 'aborted' },
  })
  await row('Say a')
    .getByRole('button', { name: /^Remove / })
    .click()
  await row('Say a').getByRole('button', { name: 'Undo' }).click()
  expect(emitted('hold')).toEqual([['a', true]])
})

test('what was removed goes with the list', async () => {
  const onRemove = vi.fn()
  const { unmount } = await render(AsQueue, { props: { queue: queued('a'), onRemove } })
  await row('Say a')
    .getByRole('button', { name: /^Remove / })
    .click()
  unmount()
  expect(onRemove.mock.calls).toEqual([['a']])
})

test('what is being changed is not sent as it was', async () => {
  const { emitted, rerender } = await render(AsQueue, {
    props: { queue: queued('a'), requestState: 'processing' },
  })
  await row('Say a')
    .getByRole('button', { name: /^Edit / })
    .click()
  expect(emitted('hold')).toEqual([['a', true]])
  await rerender({ queue: queued('a').map((one) => ({ ...one, held: true })) })
  await userEvent.keyboard('{End}!{Enter}')
  expect(emitted('edit')).toEqual([['a', { text: 'Say a!', files: [] }]])
  expect(emitted('hold')).toEqual([
    ['a', true],
    ['a', false],
  ])
})

test('says why nothing is sent by itself, and who stopped it', async () => {
  const { rerender } = await render(AsQueue, {
    props: { queue: queued('a').map((one) => ({ ...one, held: true })), requestState: 'error' },
  })
  await expect
    .element(page.getByText('Queue paused because the last reply didn’t finish.'))
    .toBeVisible()
  await expect.element(row('Say a')).toMatchTextContent('Paused')
  await rerender({ requestState: 'aborted' })
  await expect
    .element(page.getByText('Queue paused because you stopped the last reply.'))
    .toBeVisible()
})

test('the whole way: queued, moved, edited, removed, undone, and sent in that order', async () => {
  const transport = scriptedTransport()
  const held = transport.hold()
  let chat: UseMessageReturn | undefined
  const App = defineComponent(() => {
    const made = useMessage({ transport })
    chat = made
    return () => h('div', { style: 'block-size: 700px' }, [h(AsChat, { chat: made })])
  })
  await render(App)
  const field = page.getByRole('textbox', { name: 'Message' })
  for (const text of ['first', 'two', 'three', 'four']) {
    await userEvent.fill(field, text)
    await userEvent.keyboard('{Enter}')
  }
  await expect.poll(texts).toEqual(['two', 'three', 'four'])
  row('four').getByRole('button', { name: 'Move “four”' }).element().focus()
  await userEvent.keyboard('{Home}')
  await expect.poll(texts).toEqual(['four', 'two', 'three'])
  await row('two')
    .getByRole('button', { name: /^Remove / })
    .click()
  await row('three')
    .getByRole('button', { name: /^Remove / })
    .click()
  await row('three').getByRole('button', { name: 'Undo' }).click()
  transport.add(answer('to four'), answer('to three'))
  void held.push(...answer('done'))
  held.end()
  const said = () =>
    chat!.messages.value
      .filter(({ role }) => role === 'user')
      .map(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : '')).join(''))
  await expect.poll(said).toEqual(['first', 'four', 'three'])
  // What is removed was not sent meanwhile.
  await expect.poll(() => chat!.requestState.value).toBe('completed')
  expect(said()).toEqual(['first', 'four', 'three'])
})
