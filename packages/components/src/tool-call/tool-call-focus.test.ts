import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { commands, edit, note, paused } from '../../test/asks.ts'
import { createChatDouble } from '../../test/chat-double.ts'
import { ask, assistant, text, user } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const composer = () => page.getByRole('textbox', { name: 'Message' })
const card = () => page.getByRole('group', { name: /Change the title/ })

const asks = (count: number) =>
  Array.from({ length: count }, (_, index) => ask('write_note', `w${index}`, { title: `${index}` }))

async function idleInComposer() {
  const double = createChatDouble({
    requestState: 'processing',
    messages: [user('u1', 'Fix the title')],
  })
  await mountChat(double)
  await composer().click()
  return double
}

/** A part in the middle of many lines. */
const longText = text('A paragraph.\n\n'.repeat(60))

describe('a card that comes', () => {
  // The first one of the page: nobody noted keys for another card before.
  test('leaves the focus where somebody typed a moment before, and is in view all the same', async () => {
    const double = createChatDouble({
      requestState: 'processing',
      messages: [user('u1', 'Fix the title'), assistant('a1', longText)],
    })
    await mountChat(double, { props: { tray: false } })
    await composer().click()
    await userEvent.keyboard('a{Backspace}')
    double.put(assistant('a1', longText, edit, ...asks(8)))
    await expect.element(card()).toBeInViewport()
    await expect.element(composer()).toHaveFocus()
    await userEvent.keyboard('not lost')
    await expect.element(composer()).toHaveValue('not lost')
    expect(document.querySelectorAll('[data-slot="ask"]')).toHaveLength(9)
    const { top } = slotElement('ask').getBoundingClientRect()
    expect(top).toBeGreaterThan(slotElement('scroller').getBoundingClientRect().top)
  })

  test('takes it after a message was sent: the Enter that sends is no typing', async () => {
    const double = await idleInComposer()
    await userEvent.keyboard('Go on{Enter}')
    double.put(assistant('a1', edit))
    await expect.element(card(), { timeout: 1_000 }).toHaveFocus()
  })

  test('gives it back with all that is typed on', async () => {
    const double = await idleInComposer()
    await vi.advanceTimersByTimeAsync(2_000)
    double.put(assistant('a1', edit))
    await expect.element(card()).toHaveFocus()
    await userEvent.keyboard('add a line')
    await expect.element(composer()).toHaveFocus()
    await expect.element(composer()).toHaveValue('add a line')
    expect(commands(double)).toEqual([])
  })

  test('gives it back at once for a letter that is no key of the card', async () => {
    const double = await idleInComposer()
    await vi.advanceTimersByTimeAsync(2_000)
    double.put(assistant('a1', edit))
    await expect.element(card()).toHaveFocus()
    await userEvent.keyboard('Hold on')
    await expect.element(composer()).toHaveValue('Hold on')
  })

  test('takes the focus from a composer that is empty and left alone', async () => {
    const double = await idleInComposer()
    await vi.advanceTimersByTimeAsync(2_000)
    double.put(assistant('a1', edit, note))
    await expect.element(card()).toHaveFocus()
    // The letters are not armed: what was struck for the composer decides nothing.
    await userEvent.keyboard('a')
    expect(commands(double)).toEqual([])
  })

  test('leaves it where something is written', async () => {
    const double = await idleInComposer()
    await userEvent.keyboard('And al')
    await vi.advanceTimersByTimeAsync(10_000)
    double.put(assistant('a1', edit))
    await expect.element(card()).toBeVisible()
    await expect.element(composer()).toHaveFocus()
  })

  test('leaves it where somebody typed a moment ago', async () => {
    const double = await idleInComposer()
    await userEvent.keyboard('a{Backspace}')
    await vi.advanceTimersByTimeAsync(500)
    double.put(assistant('a1', edit))
    await expect.element(card()).toBeVisible()
    await expect.element(composer()).toHaveFocus()
  })

  test('takes it once nobody has typed for a while', async () => {
    const double = await idleInComposer()
    await userEvent.keyboard('a{Backspace}')
    double.put(assistant('a1', edit))
    await expect.element(card()).toBeVisible()
    await expect.element(composer()).toHaveFocus()
    await vi.advanceTimersByTimeAsync(2_000)
    await expect.element(card()).toHaveFocus()
  })

  test('is answered by a letter alone, once no other has come', async () => {
    const double = await idleInComposer()
    await vi.advanceTimersByTimeAsync(2_000)
    double.put(assistant('a1', edit, note))
    await expect.element(card()).toHaveFocus()
    await expect.poll(() => slotElement('approve').getAttribute('aria-disabled')).toBe(null)
    await userEvent.keyboard('a')
    expect(commands(double)).toEqual([])
    await expect.poll(() => commands(double)).toHaveLength(1)
    expect(commands(double)).toEqual([
      ['tool', 'resumeToolCall', expect.not.objectContaining({ outcome: 'no' })],
    ])
  })

  test('which is the first of several takes it, whichever came first', async () => {
    const double = await idleInComposer()
    await userEvent.keyboard('a{Backspace}')
    double.put(assistant('a1', note))
    await expect.element(page.getByRole('group', { name: /Write note/ })).toBeVisible()
    double.put(assistant('a1', edit, note))
    await expect.element(card()).toBeVisible()
    await vi.advanceTimersByTimeAsync(2_000)
    await expect.element(card()).toHaveFocus()
  })

  test('takes it from nothing else, and not when the page is opened', async () => {
    await mountChat(paused(edit))
    await expect.element(card()).toBeVisible()
    expect(document.activeElement).toBe(document.body)
    const scroller = page.getByRole('region', { name: 'Conversation' })
    ;(scroller.element() as HTMLElement).focus()
    await expect.element(scroller).toHaveFocus()
  })
})
