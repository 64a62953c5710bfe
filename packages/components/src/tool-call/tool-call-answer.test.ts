import { EngineError } from '@assent/engine'
import { describe, expect, test } from 'vitest'
import { page, userEvent, type Locator } from 'vitest/browser'
import { commands, edit, paused, settle } from '../../test/asks.ts'
import { question, succeeded, withMetadata } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'

const asked = question('ask_person', 'q1', { question: 'Which address?' })
const card = (): Locator => page.getByRole('group', { name: /^Ask person/ })
const field = (): Locator => card().getByRole('textbox', { name: 'Your answer' })

describe('a call that waits for an answer', () => {
  test('is a card that asks, counted with the others', async () => {
    await mountChat(paused(asked, edit))
    await expect.element(card()).toHaveAccessibleDescription(/Needs your answer/)
    await expect.element(card().getByText('Which address?')).toBeVisible()
    await expect.element(card().getByText('1 of 2')).toBeVisible()
    await expect.element(page.getByText('Needs answer: Ask person.')).toBeInTheDocument()
  })

  test('is answered with the button', async () => {
    const double = paused(asked)
    await mountChat(double)
    await field().fill('12 High Street')
    await card().getByRole('button', { name: 'Send answer' }).click()
    expect(commands(double)).toMatchObject([
      ['tool', 'submitToolOutput', { toolCallId: 'q1', messageId: 'a1', output: '12 High Street' }],
    ])
  })

  test('is answered with Enter; Shift+Enter begins a new line, and nothing is no answer', async () => {
    const double = paused(asked)
    await mountChat(double)
    const send = card().getByRole('button', { name: 'Send answer' })
    await field().click()
    await userEvent.keyboard('{Enter}')
    await expect.element(send).toHaveAttribute('aria-disabled', 'true')
    expect(commands(double)).toEqual([])
    await userEvent.keyboard('12{Shift>}{Enter}{/Shift}High Street')
    await expect.element(send).toBeEnabled()
    await userEvent.keyboard('{Enter}')
    expect(commands(double)).toEqual([
      ['tool', 'submitToolOutput', expect.objectContaining({ output: '12\nHigh Street' })],
    ])
  })

  test('is skipped with a reason that reaches the assistant', async () => {
    const double = paused(asked)
    await mountChat(double)
    await card().getByRole('button', { name: 'Skip' }).click()
    expect(commands(double)).toMatchObject([
      [
        'tool',
        'resumeToolCall',
        {
          toolCallId: 'q1',
          messageId: 'a1',
          outcome: 'no',
          reason: 'The question was skipped.',
        },
      ],
    ])
  })

  test('keeps the answer when it was refused', async () => {
    const double = paused(asked)
    double.onCommand(() => ({
      success: false,
      error: new EngineError('not_awaiting_output', 'It has its output.'),
    }))
    await mountChat(double)
    await field().fill('12 High Street')
    await card().getByRole('button', { name: 'Send answer' }).click()
    await expect
      .element(page.getByRole('alert'))
      .toHaveTextContent('Already decided. This call can no longer be decided.')
    await expect.element(field()).toHaveValue('12 High Street')
  })

  test('becomes a receipt and a line that say who answered', async () => {
    const double = paused(asked)
    double.onCommand(({ toolCallId, output }) => {
      settle(double, toolCallId, (part) =>
        withMetadata(succeeded(part, output), { submitted: true }),
      )
      return { success: true, result: undefined }
    })
    await mountChat(double)
    await field().fill('12 High Street')
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => slotElement('receipt').innerText).toMatch(/Answered by you/)
    const row = page.getByRole('button', { name: /^Ask person · Answered by you/ })
    await row.click()
    // What an opened line shows is loaded then.
    await expect
      .poll(() => slotElement('detail').innerText.replaceAll(/\s+/g, ' '))
      .toBe('Input question Which address? Your answer 12 High Street')
  })

  test('gets the cursor when its approval was just given', async () => {
    const approvedFirst = withMetadata(edit, { awaitsOutput: true })
    const double = paused(approvedFirst)
    double.onCommand(({ toolCallId }) => {
      settle(double, toolCallId, (part) =>
        withMetadata(
          {
            ...part,
            state: 'approval-responded',
            approval: { id: 'assent-c2', approved: true },
          } as typeof part,
          { scheduledAt: 1 },
        ),
      )
      return { success: true, result: undefined }
    })
    await mountChat(double)
    await page.getByRole('button', { name: 'Approve' }).click()
    await expect.element(page.getByRole('textbox', { name: 'Your answer' })).toHaveFocus()
  })
})
