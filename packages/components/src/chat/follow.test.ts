import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h } from 'vue'
import { createChatDouble, type ChatDouble } from '../../test/chat-double.ts'
import { assistant, text, user } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'

const paragraphs = (count: number): string =>
  Array.from({ length: count }, (_, index) => `Paragraph ${index}.`).join('\n\n')

async function longChat(): Promise<ChatDouble> {
  const double = createChatDouble({
    requestState: 'processing',
    processingState: 'completing',
    messages: [user('u', 'Tell me a lot'), assistant('a', text(paragraphs(40), 'streaming'))],
  })
  await mountChat(double)
  await expect.poll(distance).toBeLessThan(2)
  return double
}

/** How far the end is below the visible part, in pixels. */
function distance(): number {
  const scroller = slotElement('scroller')
  return scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop
}

/** More of the answer arrives; resolves when it is laid out. */
async function grow(double: ChatDouble, count: number): Promise<void> {
  const height = slotElement('scroller').scrollHeight
  double.put(assistant('a', text(paragraphs(count), 'streaming')))
  await expect.poll(() => slotElement('scroller').scrollHeight).toBeGreaterThan(height)
  await new Promise(requestAnimationFrame)
  await new Promise(requestAnimationFrame)
}

const jump = () => page.getByRole('button', { name: 'Jump to latest' })

test('keeps the end in view while an answer grows', async () => {
  const double = await longChat()
  await grow(double, 60)
  expect(distance()).toBeLessThan(2)
  expect(jump().elements()).toHaveLength(0)
})

test('opens a long history at its end, and draws only what is near', async () => {
  const messages = Array.from({ length: 200 }, (_, index) => user(`u${index}`, paragraphs(9)))
  await mountChat(createChatDouble({ messages }))
  await expect.poll(distance).toBeLessThan(2)
  await new Promise(requestAnimationFrame)
  await new Promise(requestAnimationFrame)
  expect(distance()).toBeLessThan(2)
  const isDrawn = (index: number): boolean =>
    slotElement('text', index).checkVisibility({ contentVisibilityAuto: true })
  expect([isDrawn(0), isDrawn(199)]).toEqual([false, true])
})

test('shows the beginning of what stands there before the first message', async () => {
  const double = createChatDouble()
  const tall = () => h('div', { style: { blockSize: '2000px' } })
  await mountChat(double, { slots: { empty: tall } })
  await expect.poll(() => slotElement('scroller').scrollHeight).toBeGreaterThan(2000)
  await new Promise(requestAnimationFrame)
  await new Promise(requestAnimationFrame)
  expect(slotElement('scroller').scrollTop).toBe(0)
  expect(jump().elements()).toHaveLength(0)
  double.put(user('u', paragraphs(80)))
  await expect.poll(() => slotElement('scroller').scrollTop).toBeGreaterThan(300)
  expect(distance()).toBeLessThan(2)
})

test('keeps the end in view when the composer takes more room', async () => {
  await longChat()
  await userEvent.fill(page.getByRole('textbox', { name: 'Message' }), 'line\n'.repeat(8))
  await expect.poll(() => slotElement('composer').offsetHeight).toBeGreaterThan(200)
  await expect.poll(distance).toBeLessThan(2)
})

test.each([
  ['the wheel', (on: HTMLElement) => on.dispatchEvent(new WheelEvent('wheel', { deltaY: -100 }))],
  [
    'a finger',
    (on: HTMLElement) => {
      const at = (clientY: number) => [new Touch({ identifier: 1, target: on, clientY })]
      on.dispatchEvent(new TouchEvent('touchstart', { touches: at(100) }))
      on.dispatchEvent(new TouchEvent('touchmove', { touches: at(140) }))
    },
  ],
  ['a key', (on: HTMLElement) => on.dispatchEvent(new KeyboardEvent('keydown', { key: 'PageUp' }))],
  // Nothing tells of it but the place itself.
  ['the browser’s search', () => undefined],
])('stays where the reader goes by %s', async (_, go) => {
  const double = await longChat()
  go(slotElement('scroller'))
  slotElement('scroller').scrollTop -= 300
  await expect.element(jump()).toBeVisible()
  const top = slotElement('scroller').scrollTop
  await grow(double, 60)
  expect(slotElement('scroller').scrollTop).toBe(top)
})

test('stays while text is selected', async () => {
  const double = await longChat()
  const paragraph = slotElement('markdown').querySelector('p:last-child')!
  document.getSelection()!.selectAllChildren(paragraph)
  await new Promise(requestAnimationFrame)
  const top = slotElement('scroller').scrollTop
  await grow(double, 60)
  expect(slotElement('scroller').scrollTop).toBe(top)
  document.getSelection()!.removeAllRanges()
})

test('is not taken for scrolling away when content shrinks or the wheel turns down', async () => {
  const double = await longChat()
  slotElement('scroller').dispatchEvent(new WheelEvent('wheel', { deltaY: 100 }))
  double.put(assistant('a', text(paragraphs(30), 'streaming')))
  await expect.poll(() => slotElement('list').innerText).not.toContain('Paragraph 35.')
  await grow(double, 80)
  expect(distance()).toBeLessThan(2)
})

test('follows again from the button, and at the end that the reader reached', async () => {
  const double = await longChat()
  const scroller = slotElement('scroller')
  scroller.dispatchEvent(new WheelEvent('wheel', { deltaY: -100 }))
  scroller.scrollTop = 0
  await jump().click()
  await expect.poll(distance).toBeLessThan(2)
  await grow(double, 60)
  expect(distance()).toBeLessThan(2)
  scroller.dispatchEvent(new WheelEvent('wheel', { deltaY: -100 }))
  scroller.scrollTop = 100
  await expect.element(jump()).toBeVisible()
  scroller.scrollTop = scroller.scrollHeight
  await expect.element(jump()).not.toBeInTheDocument()
  await grow(double, 80)
  expect(distance()).toBeLessThan(2)
})

test('goes to the end when the reader sends a message', async () => {
  await longChat()
  const scroller = slotElement('scroller')
  scroller.dispatchEvent(new WheelEvent('wheel', { deltaY: -100 }))
  scroller.scrollTop = 0
  await expect.element(jump()).toBeVisible()
  await page.getByRole('textbox', { name: 'Message' }).click()
  await userEvent.keyboard('And now?{Enter}')
  await expect.poll(distance).toBeLessThan(2)
})
