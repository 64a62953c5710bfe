import { afterEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { approve, edit, paused } from '../../test/asks.ts'
import { ask, question, withMetadata } from '../../test/fixtures.ts'
import type { ChatDouble } from '../../test/chat-double.ts'
import { mountChat, slotElement } from '../../test/mount.ts'

afterEach(() => page.viewport(800, 900))

/** A chat on what a phone shows of a page. */
async function mountLow(double: ChatDouble): Promise<void> {
  await mountChat(double, { width: 360, height: 700 })
  await page.viewport(360, 700)
}

const field = () => page.getByRole('textbox', { name: 'Message' })
const lines = (element: Element): number =>
  Math.round(
    element.getBoundingClientRect().height /
      Number.parseFloat(getComputedStyle(element).lineHeight),
  )

test('a text in the composer takes at most three lines of a low screen while a card asks', async () => {
  const double = paused(edit)
  await mountLow(double)
  await expect.element(approve()).toBeVisible()
  await userEvent.fill(field(), Array.from({ length: 8 }, (_, at) => `line ${at}`).join('\n'))
  await expect.poll(() => lines(field().element())).toBe(3)
  expect(field().element().scrollHeight).toBeGreaterThan(7 * 20)
  expect(getComputedStyle(field().element()).overflowY).toBe('auto')
  const foot = document.querySelector('.as-ask-foot')?.getBoundingClientRect()
  const dock = document.querySelector('.as-chat-dock')?.getBoundingClientRect()
  expect(foot?.bottom).toBeLessThanOrEqual(dock?.top ?? 0)
  await page.viewport(360, 900)
  await expect.poll(() => lines(field().element())).toBe(8)
})

const command = Array.from({ length: 24 }, (_, at) => `echo the line ${at} >> out.txt`).join('; ')

test('a title is cut after three lines: what it says stands whole below it', async () => {
  await mountLow(
    paused(ask('bash', 'c1', { command }, { summary: `Run ${command}`, risk: 'write' })),
  )
  await expect.element(approve()).toBeVisible()
  const title = slotElement('title')
  // A screen reader reads all of it.
  expect(title.textContent).toContain('line 23')
  expect(lines(title)).toBe(3)
  expect(slotElement('evidence').textContent).toContain('line 23')
})

test('a question is never cut: it stands nowhere else', async () => {
  await mountLow(paused(withMetadata(question('ask', 'c1', {}), { summary: command })))
  await expect.element(page.getByText('Needs your answer').first()).toBeVisible()
  expect(lines(slotElement('title'))).toBeGreaterThan(3)
})
