import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { nextTick, type ComponentPublicInstance } from 'vue'
import { createChatDouble, type ChatDouble } from '../../test/chat-double.ts'
import { ask, assistant, call, decided, succeeded, text, user } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'

const COUNT = 600
const answer = (index: number): string =>
  `Answer ${index}\n\n- one\n- two\n\n${'More of it. '.repeat((index % 7) * 12)}`
const history = Array.from({ length: COUNT / 2 }, (_, index) => [
  user(`u${index}`, `Question ${index}`),
  assistant(`a${index}`, text(answer(index))),
]).flat()

async function frames(count = 4): Promise<void> {
  for (let frame = 0; frame < count; frame += 1) await new Promise(requestAnimationFrame)
}

async function show(messages = history, mixin?: object, isPaused = false): Promise<ChatDouble> {
  const double = createChatDouble({ messages, requestState: isPaused ? 'paused' : 'completed' })
  await mountChat(double, { props: { virtual: true }, ...(mixin ? { mixin } : {}) })
  await expect
    .poll(() => document.querySelectorAll('[data-slot="bubble"]').length)
    .toBeGreaterThan(3)
  await frames()
  return double
}

const scroller = () => slotElement('scroller')
const distance = (): number =>
  scroller().scrollHeight - scroller().clientHeight - scroller().scrollTop
const inView = (element: Element): boolean => {
  const { top, bottom } = element.getBoundingClientRect()
  const view = scroller().getBoundingClientRect()
  return bottom > view.top && top < view.bottom
}

/** As a reader does it: the wheel first, so that the list does not go back to its end. */
async function scrollTo(top: number): Promise<void> {
  scroller().dispatchEvent(new WheelEvent('wheel', { deltaY: -100 }))
  scroller().scrollTop = top
  await frames()
}

test('a long history is opened at its end, with few of its messages in the page', async () => {
  await show()
  await expect.element(page.getByText(`Answer ${COUNT / 2 - 1}`)).toBeInTheDocument()
  await expect.poll(distance).toBeLessThan(2)
  expect(document.querySelectorAll('[data-slot="bubble"]').length).toBeLessThan(30)
  const item = document.querySelector<HTMLElement>('[data-slot="list"] > li:last-child')!
  expect(item.ariaPosInSet).toBe(String(COUNT))
  expect(item.ariaSetSize).toBe(String(COUNT))
})

test('the end stays in view while an answer grows, and not when the reader went elsewhere', async () => {
  const double = await show()
  for (const count of [5, 20, 60]) {
    double.put(assistant('last', text('Paragraph.\n\n'.repeat(count), 'streaming')))
    await frames()
    await expect.poll(distance).toBeLessThan(2)
  }
  await scrollTo(4_000)
  const [reading] = [...document.querySelectorAll('[data-slot="bubble"]')].filter(inView)
  const before = reading!.getBoundingClientRect().top
  double.put(assistant('last', text('Paragraph.\n\n'.repeat(90), 'streaming')))
  await frames()
  expect(reading!.getBoundingClientRect().top).toBeCloseTo(before, 0)
  await expect.element(page.getByRole('button', { name: 'Jump to latest' })).toBeVisible()
})

test('a card that asks is never taken out of the page, nor what is typed in it', async () => {
  const asking = assistant('a0', text('Before'), ask('write_note', 'c1', { title: 'Rent' }))
  const double = await show(history.map((message) => (message.id === 'a0' ? asking : message)))
  const card = slotElement('ask')
  expect(inView(card)).toBe(false)
  await scrollTo(0)
  await frames()
  expect(slotElement('ask')).toBe(card)
  await expect.poll(() => inView(card)).toBe(true)
  await page.getByRole('button', { name: 'Deny', exact: true }).click()
  await page.getByRole('button', { name: 'Something else…' }).click()
  await userEvent.keyboard('Not this')
  await page.getByRole('button', { name: /Jump to latest/ }).click()
  await expect.poll(distance).toBeLessThan(2)
  expect(slotElement('ask')).toBe(card)
  expect(card.querySelector('textarea, input')).toHaveValue('Not this')
  double.change('a0', () => assistant('a0', decided(ask('write_note', 'c1', {}), false)))
  await nextTick()
})

test('what has the focus keeps it, however far the reader goes', async () => {
  const tool = succeeded(call('list', 'c', { state: 'input-available', input: {} }), 'done')
  await show([...history, assistant('t', tool)])
  const row = page.getByRole('button', { name: /^List/ }).element() as HTMLElement
  row.focus()
  await scrollTo(2_000)
  expect(inView(row)).toBe(false)
  expect(document.activeElement).toBe(row)
})

test('a card far away can be given the focus and brought into view, and stays there', async () => {
  const asking = assistant('a3', ask('write_note', 'c1', { title: 'Rent' }))
  await show(history.map((message) => (message.id === 'a3' ? asking : message)))
  const card = slotElement('ask')
  expect(inView(card)).toBe(false)
  card.focus()
  card.scrollIntoView({ block: 'center' })
  await frames(8)
  expect(inView(card)).toBe(true)
  expect(document.activeElement).toBe(card)
})

test('what is read stays in its place when older messages are put above it', async () => {
  const double = await show()
  await scrollTo(6_000)
  const reading = [...document.querySelectorAll('[data-slot="bubble"]')].find(inView)!
  const before = reading.getBoundingClientRect().top
  double.prepend(Array.from({ length: 20 }, (_, index) => user(`old${index}`, answer(index))))
  await frames(8)
  expect(Math.abs(reading.getBoundingClientRect().top - before)).toBeLessThan(3)
})

test('a streaming token renders one bubble, and not the list', async () => {
  const counts = new Map<string, number>()
  const mixin = {
    updated(this: ComponentPublicInstance) {
      const name = this.$options.__name ?? this.$options.name ?? 'anonymous'
      counts.set(name, (counts.get(name) ?? 0) + 1)
    },
  }
  const double = await show([...history, assistant('last', text('One', 'streaming'))], mixin)
  counts.clear()
  for (const word of ['One t', 'One to', 'One tok']) {
    double.put(assistant('last', text(word, 'streaming')))
    await expect.poll(() => slotElement('list').textContent).toContain(word)
  }
  expect(counts.get('AsBubble')).toBe(3)
  expect(counts.get('VirtualItems') ?? 0).toBe(0)
  expect(counts.get('AsBubbleList') ?? 0).toBe(0)
})

test('an app leads to a message by its id', async () => {
  let scrollToMessage: ((id: string) => unknown) | undefined
  const mixin = {
    mounted(this: ComponentPublicInstance & { scrollToMessage?: (id: string) => unknown }) {
      if (this.$options.__name !== 'AsChat') return
      const { exposed } = this.$
      scrollToMessage = exposed?.['scrollToMessage']
    },
  }
  await show(history, mixin)
  await scrollToMessage!('a12')
  await expect
    .poll(() => page.getByText('Answer 12', { exact: true }).elements().some(inView))
    .toBe(true)
})
