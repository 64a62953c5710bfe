import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { approve, commands, edit, note, paused, settle } from '../../test/asks.ts'
import { call, decided, denied, executing, succeeded, withMetadata } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'

describe('after a decision', () => {
  test.each([760, 360])('nothing moves when buttons become a receipt, at %i px', async (width) => {
    const double = paused(edit, note, { type: 'text', text: 'Further down' })
    await mountChat(double, { width, height: 900 })
    await expect.element(approve()).toBeEnabled()
    const boxes = (): string =>
      JSON.stringify(
        [
          ...document.querySelectorAll('[data-slot="ask"], [data-slot="text"], .as-evidence, h3'),
        ].map((element) => element.getBoundingClientRect()),
      )
    const before = boxes()
    let shift = 0
    const add = (entries: PerformanceEntryList): void => {
      for (const entry of entries) shift += (entry as unknown as { value: number }).value
    }
    const observer = new PerformanceObserver((list) => add(list.getEntries()))
    observer.observe({ type: 'layout-shift', buffered: false })
    slotElement('approve').click()
    settle(double, 'c2', (part) => executing(decided(part, true)))
    await expect.element(page.getByText('Running')).toBeVisible()
    expect(boxes()).toBe(before)
    settle(double, 'c2', (part) => succeeded(part, { ok: true }))
    await expect.poll(() => slotElement('receipt').innerText).toMatch(/Done/)
    expect(boxes()).toBe(before)
    add(observer.takeRecords())
    observer.disconnect()
    expect(shift).toBe(0)
  })

  test('the receipt says what was decided, by whom and when', async () => {
    const double = paused(edit, note)
    await mountChat(double)
    await expect.element(approve()).toBeEnabled()
    settle(double, 'c2', (part) => denied(part, 'Not now'))
    await expect
      .poll(() => slotElement('receipt').innerText.replaceAll(/\s+/g, ' '))
      .toMatch(/^Denied · Not now You · \d{1,2}:\d\d/)
  })

  test('the receipt says so when another decision came before', async () => {
    const double = paused(edit, note)
    await mountChat(double)
    await expect.element(approve()).toBeEnabled()
    settle(double, 'c2', (part) =>
      withMetadata(succeeded(decided(part, true), 1), { overruled: 'no' }),
    )
    await expect
      .poll(() => slotElement('receipt').innerText.replaceAll(/\s+/g, ' '))
      .toMatch(/^Done · Already approved elsewhere\. Your denial came too late\.(?!.*you)/)
  })

  test('a card stays while another waits, and folds to a line when none does', async () => {
    const double = paused(edit, note)
    await mountChat(double)
    await expect.element(approve()).toBeEnabled()
    settle(double, 'c2', (part) => succeeded(decided(part, true), 1))
    await expect.poll(() => slotElement('receipt').innerText).toMatch(/Done/)
    settle(double, 'c1', (part) => executing(decided(part, true)))
    await expect.poll(() => document.querySelectorAll('[data-slot="receipt"]').length).toBe(2)
    await expect
      .poll(() => document.querySelectorAll('[data-slot="line"]').length, { timeout: 4_000 })
      .toBe(2)
    expect(document.querySelectorAll('[data-slot="ask"]')).toHaveLength(0)
  })

  test('the focus goes on to the next card, whose buttons begin anew', async () => {
    const double = paused(edit, note)
    double.onCommand(({ toolCallId }) => {
      settle(double, toolCallId, (part) => executing(decided(part, true)))
      return { success: true, result: undefined }
    })
    await mountChat(double)
    await expect.element(approve()).toBeEnabled()
    slotElement('ask').focus()
    await userEvent.keyboard('a')
    await expect.element(page.getByRole('group', { name: /Write note/ })).toHaveFocus()
    await userEvent.keyboard('a')
    expect(commands(double)).toHaveLength(1)
    await expect.element(approve('Write')).toBeEnabled()
    await userEvent.keyboard('a')
    expect(commands(double)).toHaveLength(2)
    await expect.poll(() => document.activeElement === slotElement('receipt', 1)).toBe(true)
    await expect.element(page.getByRole('button', { name: /^Write note/ })).toHaveFocus()
  })

  test('a focus elsewhere is left alone', async () => {
    const double = paused(edit, note)
    await mountChat(double)
    const composer = page.getByRole('textbox', { name: 'Message' })
    await composer.click()
    settle(double, 'c2', (part) => executing(decided(part, true)))
    await expect.poll(() => document.querySelectorAll('[data-slot="receipt"]').length).toBe(1)
    await expect.element(composer).toHaveFocus()
  })

  test('a call that was aborted while it asked keeps its place, too', async () => {
    const double = paused(edit, note)
    await mountChat(double)
    await expect.element(approve()).toBeEnabled()
    const before = slotElement('ask').offsetHeight
    settle(double, 'c2', () =>
      call(
        'edit_file',
        'c2',
        { state: 'output-error', input: { path: 'README.md' }, errorText: 'Stopped' },
        { summary: 'Change the title in README.md', ended: 'cancelled' },
      ),
    )
    await expect.poll(() => slotElement('receipt').innerText).toMatch(/Cancelled/)
    expect(slotElement('ask').offsetHeight).toBe(before)
  })
})
