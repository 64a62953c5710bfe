import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { cleanup } from 'vitest-browser-vue'
import { approve, commands, deny, edit, note, paused, remove, settle } from '../../test/asks.ts'
import { decided, executing } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'
import { ARMING_MS } from './use-armed.ts'

const UNDO_MS = 5_000

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
  })
})
afterEach(() => {
  vi.useRealTimers()
})

async function mountHeld(...parts: Parameters<typeof paused>) {
  const double = paused(...parts)
  double.onCommand(({ toolCallId }) => {
    settle(double, toolCallId, (part) => executing(decided(part, true)))
    return { success: true, result: undefined }
  })
  await mountChat(double, { config: { undoMs: UNDO_MS } })
  await vi.advanceTimersByTimeAsync(ARMING_MS)
  return double
}

const undo = () => page.getByRole('button', { name: /^Undo/ })

describe('the time to undo', () => {
  test('holds a decision back until it is over, and says how long that is', async () => {
    const double = await mountHeld(edit)
    await approve().click()
    await expect.element(undo()).toBeVisible()
    const left = (): number => Number(/in (\d) seconds/.exec(slotElement('undo').innerText)?.[1])
    const first = left()
    expect(first).toBeGreaterThanOrEqual(4)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(first - left()).toBe(2)
    expect(commands(double)).toEqual([])
    await vi.advanceTimersByTimeAsync(UNDO_MS)
    expect(commands(double)).toHaveLength(1)
    await expect.element(page.getByText(/Running/)).toBeInTheDocument()
  })

  test('takes it back by Escape: nothing was sent, and the card asks again', async () => {
    const double = await mountHeld(edit)
    await approve().click()
    await expect.element(undo()).toHaveFocus()
    await userEvent.keyboard('{Escape}')
    await expect.element(approve()).toBeVisible()
    await expect.element(page.getByRole('group', { name: /Change the title/ })).toHaveFocus()
    await expect.element(page.getByText('Undone. Nothing was sent.')).toBeInTheDocument()
    await vi.advanceTimersByTimeAsync(UNDO_MS * 2)
    expect(commands(double)).toEqual([])
  })

  test('ends at once when that is wished', async () => {
    const double = await mountHeld(edit)
    await approve().click()
    await page.getByRole('button', { name: 'Approve now' }).click()
    await expect.poll(() => commands(double)).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(UNDO_MS)
    expect(commands(double)).toHaveLength(1)
  })

  test('keeps the reason of a denial that is taken back', async () => {
    const double = await mountHeld(edit)
    await deny().click()
    await page.getByRole('button', { name: 'Wrong target' }).click()
    await page.getByRole('button', { name: 'Deny: Wrong target' }).click()
    await undo().click()
    await expect
      .element(page.getByRole('button', { name: 'Wrong target', exact: true }))
      .toHaveAttribute('aria-pressed', 'true')
    expect(commands(double)).toEqual([])
  })

  test('is over when the call was decided elsewhere meanwhile', async () => {
    const double = await mountHeld(edit)
    await approve().click()
    await expect.element(undo()).toBeVisible()
    settle(double, 'c2', (part) => executing(decided(part, true)))
    await expect.element(page.getByText(/Running/)).toBeInTheDocument()
    await vi.advanceTimersByTimeAsync(UNDO_MS)
    expect(commands(double)).toEqual([])
  })

  test('goes on when the card is not shown any more: what was decided is decided', async () => {
    const double = await mountHeld(edit)
    await approve().click()
    await expect.element(undo()).toBeVisible()
    await cleanup()
    await vi.advanceTimersByTimeAsync(UNDO_MS)
    expect(commands(double)).toHaveLength(1)
  })

  test('is each call’s own', async () => {
    const double = await mountHeld(edit, note)
    await approve().click()
    await expect.element(undo()).toBeVisible()
    await vi.advanceTimersByTimeAsync(1_000)
    await approve('Write').click()
    await expect.poll(() => undo().elements()).toHaveLength(2)
    await undo().first().click()
    await vi.advanceTimersByTimeAsync(UNDO_MS)
    expect(commands(double)).toEqual([
      ['tool', 'resumeToolCall', expect.objectContaining({ toolCallId: 'c1' })],
    ])
  })

  test('moves nothing when it begins and when it ends', async () => {
    await mountHeld(edit, { type: 'text', text: 'Further down' })
    const boxes = (): string =>
      JSON.stringify(
        [...document.querySelectorAll('[data-slot="ask"], [data-slot="text"]')].map((element) =>
          element.getBoundingClientRect(),
        ),
      )
    await Promise.all(document.getAnimations().map(({ finished }) => finished))
    const before = boxes()
    await approve().click()
    await expect.element(undo()).toBeVisible()
    expect(boxes()).toBe(before)
    await vi.advanceTimersByTimeAsync(UNDO_MS)
    expect(slotElement('receipt').innerText).toMatch(/Running/)
    expect(boxes()).toBe(before)
  })
})

describe('an approval that has to be typed', () => {
  const config = { tools: { delete_files: { confirm: 'reports' } } }

  test('is given by the right word alone', async () => {
    vi.useRealTimers()
    const double = paused(remove)
    await mountChat(double, { config })
    const opener = page.getByRole('button', { name: 'Delete…', exact: true })
    await expect.element(opener).toHaveClass('as-button-danger')
    await opener.click()
    const field = page.getByRole('textbox', { name: 'Type “reports” to continue' })
    await expect.element(field).toHaveFocus()
    await userEvent.keyboard('report{Enter}')
    await page.getByRole('button', { name: 'Delete' }).click({ force: true })
    expect(commands(double)).toEqual([])
    await field.fill('reports')
    await userEvent.keyboard('{Enter}')
    expect(commands(double)).toMatchObject([
      ['tool', 'resumeToolCall', { toolCallId: 'c3', messageId: 'a1', outcome: 'yes' }],
    ])
  })

  test('is left by Escape to its button; letters are letters; an always is held', async () => {
    vi.useRealTimers()
    const double = paused(remove)
    await mountChat(double, { config })
    const button = page.getByRole('button', { name: /^Delete/ })
    await expect.element(button).toBeEnabled()
    slotElement('ask').focus()
    await userEvent.keyboard('a')
    await expect.element(page.getByRole('textbox', { name: /to continue/ })).toHaveFocus()
    await userEvent.keyboard('adl{Escape}')
    await expect.element(button).toHaveFocus()
    await page.getByRole('button', { name: 'Always…' }).click()
    await page.getByRole('button', { name: /Always allow/ }).click()
    expect(commands(double)).toEqual([])
    await expect.element(page.getByRole('button', { name: /^Hold: Always allow/ })).toBeVisible()
  })

  test('asks for the name of the tool where the app cannot say the word', async () => {
    vi.useRealTimers()
    const confirm = () => {
      throw new Error('no such field')
    }
    await mountChat(paused(remove), { config: { tools: { delete_files: { confirm } } } })
    await page.getByRole('button', { name: /^Delete/ }).click()
    await expect
      .element(page.getByRole('textbox', { name: 'Type “delete_files” to continue' }))
      .toBeVisible()
  })
})
