import { EngineError, type ToolCallPart } from '@assent/engine'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { page, userEvent, type Locator } from 'vitest/browser'
import { approve, commands, edit, note, paused, settle } from '../../test/asks.ts'
import { createChatDouble, type ChatDouble } from '../../test/chat-double.ts'
import {
  AT,
  assistant,
  call,
  elsewhere,
  executing,
  succeeded,
  withMetadata,
} from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: AT })
})
afterEach(() => {
  vi.useRealTimers()
})

const running = executing(call('run_tests', 'c1', { state: 'input-available', input: {} }))
const cancel = (): Locator => page.getByRole('button', { name: /^Cancel: / })

function show(part: ToolCallPart): ChatDouble {
  return createChatDouble({ requestState: 'processing', messages: [assistant('a1', part)] })
}

describe('a call that runs', () => {
  test('shows for how long it does, after three seconds', async () => {
    await mountChat(show(running))
    const row = page.getByRole('button', { name: /^Run tests/ })
    await expect.element(row).toBeVisible()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(slotElement('line').textContent).not.toMatch(/\d+s/)
    await vi.advanceTimersByTimeAsync(1_000)
    await expect.poll(() => slotElement('meta').textContent).toBe('3s')
    await vi.advanceTimersByTimeAsync(9_000)
    await expect.poll(() => slotElement('meta').textContent).toBe('12s')
  })

  test('shares one timer with all others, and none is there when nothing runs', async () => {
    const other = { ...running, toolCallId: 'c2' }
    const double = paused(running, other)
    await mountChat(double)
    await expect.poll(() => vi.getTimerCount()).toBe(1)
    for (const id of ['c1', 'c2']) settle(double, id, (part) => succeeded(part, 1))
    await expect.poll(() => vi.getTimerCount()).toBe(0)
  })

  test('is cancelled with its button, which leaves the focus on the line', async () => {
    const double = show(running)
    const result = Promise.withResolvers<{ success: true; result: undefined }>()
    double.onCommand(() => result.promise)
    await mountChat(double)
    const row = page.getByRole('button', { name: /^Run tests/ })
    await row.hover()
    await cancel().click()
    await expect.element(cancel()).toHaveAttribute('aria-busy', 'true')
    expect(commands(double)).toMatchObject([
      ['tool', 'cancelToolCall', { toolCallId: 'c1', messageId: 'a1' }],
    ])
    settle(double, 'c1', (part) =>
      withMetadata({ ...part, state: 'output-error', errorText: 'Not needed.' } as typeof part, {
        ended: 'cancelled',
      }),
    )
    await expect.element(row).toHaveAccessibleName(/Cancelled while running/)
    await expect.element(row).toHaveFocus()
    expect(cancel().elements()).toHaveLength(0)
  })

  test('is cancelled by keyboard, also from its receipt', async () => {
    const double = paused(edit, note)
    await mountChat(double)
    await expect.element(approve()).toBeEnabled()
    settle(double, 'c2', (part) =>
      executing({
        ...part,
        state: 'approval-responded',
        approval: { id: 'assent-c2', approved: true },
      } as typeof part),
    )
    await expect.element(page.getByText('Running')).toBeVisible()
    slotElement('receipt').focus()
    await userEvent.keyboard('{Tab}{Enter}')
    expect(commands(double)).toMatchObject([
      ['tool', 'cancelToolCall', { toolCallId: 'c2', messageId: 'a1' }],
    ])
  })

  test('shows why it could not be cancelled', async () => {
    const double = show(running)
    double.onCommand(() => ({
      success: false,
      error: new EngineError('not_running', 'The call is over.'),
    }))
    await mountChat(double)
    await page.getByRole('button', { name: /^Run tests/ }).hover()
    await cancel().click()
    await expect
      .element(page.getByRole('alert'))
      .toHaveTextContent('This call can no longer be decided.')
  })

  test('cannot be cancelled where it is executed elsewhere', async () => {
    const there = elsewhere(edit)
    const responded = {
      ...there,
      state: 'approval-responded',
      approval: { ...there.approval, approved: true },
    } as ToolCallPart
    await mountChat(show(executing(responded)))
    await expect.element(page.getByRole('button', { name: /^Change the title/ })).toBeVisible()
    expect(cancel().elements()).toHaveLength(0)
  })
})

describe('a request that has an end', () => {
  test('says until when, and can be decided till then', async () => {
    await mountChat(paused(elsewhere(edit, { expiresAt: AT + 60_000 })))
    await expect.element(page.getByText(/^Decide by May 12, \d{1,2}:03/)).toBeVisible()
    await expect.element(approve()).toBeEnabled()
    await vi.advanceTimersByTimeAsync(59_000)
    await expect.element(approve()).toBeVisible()
    await vi.advanceTimersByTimeAsync(1_000)
    await expect.element(page.getByText('This request may have expired')).toBeVisible()
    await expect
      .element(page.getByText('May have expired: Change the title in README.md.'))
      .toBeInTheDocument()
  })

  test('is approved all the same when it seems to be over: the clock may be wrong', async () => {
    const double = paused(elsewhere(edit, { expiresAt: AT - 1 }))
    await mountChat(double)
    await expect.element(page.getByText('This request may have expired')).toBeVisible()
    await expect.element(approve()).toBeEnabled()
    await approve().click()
    expect(commands(double)).toMatchObject([['tool', 'resumeToolCall', { outcome: 'yes' }]])
  })

  test('keeps the form of an always open when it seems to be over', async () => {
    await mountChat(paused(elsewhere(edit, { expiresAt: AT + 60_000 })))
    await page.getByRole('button', { name: 'Always…' }).click()
    const allow = page.getByRole('button', { name: 'Always allow' })
    await expect.element(allow).toBeVisible()
    await vi.advanceTimersByTimeAsync(60_000)
    await expect
      .element(page.getByText('May have expired: Change the title in README.md.'))
      .toBeInTheDocument()
    await expect.element(allow).toBeVisible()
  })

  test('is told apart from one that was decided elsewhere', async () => {
    const double = paused(edit)
    double.onCommand(() => ({
      success: false,
      error: new EngineError('not_awaiting_approval', 'Tool call is not awaiting approval: c2'),
    }))
    await mountChat(double)
    await approve().click()
    await expect
      .element(page.getByRole('alert'))
      .toHaveTextContent('Already decided. This call can no longer be decided.')
  })

  test('does not end where the time it names is none', async () => {
    await mountChat(paused(elsewhere(edit, { expiresAt: 1e300 })))
    await expect.element(approve()).toBeEnabled()
  })
})
