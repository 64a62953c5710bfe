import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { commands, edit, note, paused } from '../../test/asks.ts'
import { createChatDouble } from '../../test/chat-double.ts'
import { assistant, user } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const composer = () => page.getByRole('textbox', { name: 'Message' })
const card = () => page.getByRole('group', { name: /Change the title/ })

async function idleInComposer() {
  const double = createChatDouble({
    requestState: 'processing',
    messages: [user('u1', 'Fix the title')],
  })
  await mountChat(double)
  await composer().click()
  return double
}

describe('a card that comes', () => {
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

  test('is not answered by words that are typed on, and is by a letter alone', async () => {
    const double = await idleInComposer()
    await vi.advanceTimersByTimeAsync(2_000)
    double.put(assistant('a1', edit, note))
    await expect.element(card()).toHaveFocus()
    await expect.poll(() => slotElement('approve').getAttribute('aria-disabled')).toBe(null)
    await userEvent.keyboard('does all of that')
    await vi.advanceTimersByTimeAsync(1_000)
    await userEvent.keyboard('a')
    await expect.poll(() => commands(double)).toHaveLength(1)
    expect(commands(double)).toEqual([
      ['tool', 'resumeToolCall', expect.not.objectContaining({ outcome: 'no' })],
    ])
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
