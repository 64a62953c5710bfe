import { beforeAll, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { createChatDouble } from '../../test/chat-double.ts'
import { ask, assistant, text, user } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'
import { loadMarkdown } from '../markdown/markdown-code.ts'
import { loadForms } from '../tool-call/load-forms.ts'

beforeAll(() => Promise.all([loadMarkdown(), loadForms()]))

const paragraphs = Array.from({ length: 40 }, (_, index) => `Paragraph ${index}.`).join('\n\n')
const input = Object.fromEntries(
  Array.from({ length: 12 }, (_, index) => [`field${index}`, `Value ${index}`]),
)
const properties = Object.fromEntries(Object.keys(input).map((name) => [name, { type: 'string' }]))

/** Waits until what is asked about stays where it is, and tells where. */
async function restingPlace(): Promise<number> {
  let top = Number.NaN
  for (let still = 0; still < 10; still += 1) {
    await new Promise(requestAnimationFrame)
    const now = slotElement('title').getBoundingClientRect().top
    if (now !== top) still = 0
    top = now
  }
  return top
}

/** A conversation that ends with a card that asks, at its end. */
async function show(virtual: boolean): Promise<void> {
  const double = createChatDouble({
    requestState: 'paused',
    messages: [
      user('u', 'Tell me a lot, and write it'),
      assistant('a', text(paragraphs), ask('write_note', 'c1', input)),
    ],
  })
  double.answerSchema({ success: true, result: { schema: { type: 'object', properties } } })
  await mountChat(double, { props: { virtual, tray: false } })
  await expect.element(page.getByRole('button', { name: 'Deny', exact: true })).toBeEnabled()
  await restingPlace()
}

function distance(): number {
  const { scrollHeight, clientHeight, scrollTop } = slotElement('scroller')
  return scrollHeight - clientHeight - scrollTop
}

function isInView(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect()
  const view = slotElement('scroller').getBoundingClientRect()
  return top >= view.top - 1 && bottom <= view.bottom + 1
}

test.each([
  ['deny', 'deny-form', false],
  ['always', 'always-form', false],
  ['edit', 'input-editor', false],
  ['deny', 'deny-form', true],
  ['edit', 'input-editor', true],
])(
  '"%s" at the end opens its %s, and what it is about stays where it was (virtual: %s)',
  async (opener, form, virtual) => {
    await show(virtual)
    const before = await restingPlace()
    slotElement(opener).click()
    await expect.poll(() => document.querySelector(`[data-slot="${form}"]`)).not.toBeNull()
    const after = await restingPlace()
    const { activeElement } = document
    expect(slotElement('ask').contains(activeElement)).toBe(true)
    expect(isInView(activeElement!)).toBe(true)
    expect(Math.abs(after - before)).toBeLessThan(2)
  },
)

test('the end is followed again when the form is closed', async () => {
  await show(false)
  slotElement('edit').click()
  await expect.poll(distance).toBeGreaterThan(24)
  // What takes a row of the view would hide the end of the form.
  expect(document.querySelector('[data-slot="jump"]')).toBeNull()
  await userEvent.keyboard('{Escape}')
  await expect.poll(() => document.querySelector('[data-slot="input-editor"]')).toBeNull()
  await expect.poll(distance).toBeLessThan(2)
  expect(document.querySelector('[data-slot="jump"]')).toBeNull()
})
