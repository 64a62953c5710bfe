import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { createChatDouble, type ChatDouble } from '../../test/chat-double.ts'
import { assistant, succeeded, call, text, user } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'

const paragraphs = (count: number): string =>
  Array.from({ length: count }, (_, index) => `Paragraph ${index}.`).join('\n\n')

const history = () => [user('u', 'Tell me a lot'), assistant('a', text(paragraphs(40)))]

async function frames(): Promise<void> {
  await new Promise(requestAnimationFrame)
  await new Promise(requestAnimationFrame)
}

async function show(props: object, messages = history()): Promise<ChatDouble> {
  const double = createChatDouble({ messages })
  await mountChat(double, { props })
  await frames()
  return double
}

const scroller = () => slotElement('scroller')
const distance = (): number =>
  scroller().scrollHeight - scroller().clientHeight - scroller().scrollTop
/** Where an element is, from the top of the view. */
const topOf = (element: Element): number =>
  element.getBoundingClientRect().top - scroller().getBoundingClientRect().top

async function send(double: ChatDouble, words: string): Promise<void> {
  await userEvent.fill(page.getByRole('textbox', { name: 'Message' }), words)
  await userEvent.keyboard('{Enter}')
  double.put(user(words, words))
  await expect.element(page.getByText(words, { exact: true })).toBeInTheDocument()
  await frames()
}

test('a sent message goes to the top, and the answer grows below it without moving it', async () => {
  const double = await show({ scroll: 'anchor-turn' })
  expect(distance()).toBeLessThan(2)
  await send(double, 'And now')
  const own = slotElement('bubble', 2)
  expect(Math.abs(topOf(own.closest('[data-slot="item"]')!))).toBeLessThan(2)
  const before = topOf(own)
  for (const count of [2, 10, 60]) {
    double.put(assistant('b', text(paragraphs(count), 'streaming')))
    await frames()
    expect(topOf(own)).toBeCloseTo(before, 0)
  }
  await page.getByRole('button', { name: 'Jump to latest' }).click()
  expect(distance()).toBeLessThan(2)
})

test('an answer that fits leaves nothing to jump to, and the next message is anchored again', async () => {
  const double = await show({ scroll: 'anchor-turn' })
  await send(double, 'First')
  double.put(assistant('b', text('Short')))
  await frames()
  expect(document.querySelector('[data-slot="jump"]')).toBeNull()
  await send(double, 'Second')
  expect(Math.abs(topOf(slotElement('item', 4)))).toBeLessThan(2)
})

test('switched off, nothing moves the view', async () => {
  const double = await show({ scroll: 'off' })
  expect(scroller().scrollTop).toBe(0)
  scroller().scrollTop = 200
  await frames()
  const reading = slotElement('markdown').querySelectorAll('p')[5]!
  const before = topOf(reading)
  await send(double, 'And now')
  double.put(assistant('b', text(paragraphs(60))))
  await frames()
  expect(topOf(reading)).toBeCloseTo(before, 0)
  await page.getByRole('button', { name: '2 new messages' }).click()
  expect(distance()).toBeLessThan(2)
})

test('the button says how many messages came while the reader was away', async () => {
  const double = await show({})
  scroller().dispatchEvent(new WheelEvent('wheel', { deltaY: -100 }))
  scroller().scrollTop = 0
  await expect.element(page.getByRole('button', { name: 'Jump to latest' })).toBeVisible()
  double.put(user('u2', 'One more'))
  await expect.element(page.getByRole('button', { name: '1 new message' })).toBeVisible()
  double.put(assistant('a2', text('Another')))
  await page.getByRole('button', { name: '2 new messages' }).click()
  await expect.poll(() => document.querySelector('[data-slot="jump"]')).toBeNull()
  scroller().dispatchEvent(new WheelEvent('wheel', { deltaY: -100 }))
  scroller().scrollTop = 0
  await expect.element(page.getByRole('button', { name: 'Jump to latest' })).toBeVisible()
})

const laidOut = document.createElement('style')
laidOut.textContent = ':is(.as-item, .as-stretch) { content-visibility: visible !important }'

test.each(['auto', 'none'])(
  'what is read stays in its place when older messages are put above it (anchoring %s)',
  async (anchoring) => {
    const older = Array.from({ length: 6 }, (_, index) => user(`old${index}`, paragraphs(9)))
    const messages = Array.from({ length: 30 }, (_, index) => user(`u${index}`, paragraphs(7)))
    const double = await show({}, messages)
    scroller().style.overflowAnchor = anchoring
    // As the styles have it where there is no anchoring.
    if (anchoring === 'none') document.head.append(laidOut)
    scroller().dispatchEvent(new WheelEvent('wheel', { deltaY: -100 }))
    scroller().scrollTop = 400
    await frames()
    const reading = slotElement('bubble', 3)
    const before = topOf(reading)
    double.prepend(older)
    await expect.poll(() => document.querySelectorAll('[data-slot="item"]').length).toBe(36)
    expect(Math.abs(topOf(reading) - before)).toBeLessThan(2)
    await frames()
    expect(Math.abs(topOf(reading) - before)).toBeLessThan(2)
    laidOut.remove()
  },
)

test('what is opened or closed stays under the pointer, by mouse and by key', async () => {
  const tool = succeeded(
    call('list_files', 'c1', { state: 'input-available', input: { path: 'a' } }),
    paragraphs(30),
  )
  await show({}, [...history(), assistant('b', tool)])
  expect(distance()).toBeLessThan(2)
  const row = page.getByRole('button', { name: /list files/i }).element() as HTMLElement
  const before = topOf(row)
  row.click()
  await frames()
  expect(row.getAttribute('aria-expanded')).toBe('true')
  expect(Math.abs(topOf(row) - before)).toBeLessThan(2)
  row.focus()
  await userEvent.keyboard('{Enter}')
  await frames()
  expect(row.getAttribute('aria-expanded')).toBe('false')
  expect(Math.abs(topOf(row) - before)).toBeLessThan(2)
  // The space that this took goes away as the reader goes up.
  scroller().dispatchEvent(new WheelEvent('wheel', { deltaY: -100 }))
  scroller().scrollTop = 0
  await frames()
  expect(slotElement('scroller').scrollHeight).toBeLessThan(3_000)
})
