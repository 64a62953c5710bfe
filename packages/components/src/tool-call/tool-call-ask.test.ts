import { EngineError, fingerprintOfCall } from '@assent/engine'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { approve, commands, deny, edit, note, paused, remove } from '../../test/asks.ts'
import { call } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'
import { ARMING_MS } from './use-armed.ts'

afterEach(() => {
  vi.useRealTimers()
})

describe('a call that asks', () => {
  test('says what it would do, how risky that is, why it asks, and shows the whole input', async () => {
    await mountChat(paused(edit))
    const card = page.getByRole('group', { name: 'Change the title in README.md' })
    await expect.element(card).toHaveAccessibleDescription(/Changes data/)
    await expect.element(card.getByText('edit_file')).toBeVisible()
    await expect.element(card.getByText('Files are asked about')).toBeVisible()
    expect(slotElement('evidence').innerText).toMatch(/path\s+README\.md/)
  })

  test('is named after its tool and the telling field where nothing else says what it does', async () => {
    await mountChat(paused(note))
    await expect.element(page.getByRole('group', { name: 'Write note Rent' })).toBeVisible()
    await expect.element(approve('Write')).toBeVisible()
  })

  test('takes no click before it has been there for a moment', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const double = paused(edit)
    await mountChat(double)
    await vi.advanceTimersByTimeAsync(ARMING_MS - 1)
    slotElement('approve').click()
    slotElement('deny').click()
    expect(commands(double)).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    vi.useRealTimers()
    await expect.element(approve()).toBeEnabled()
    expect(deny().elements()).toHaveLength(1)
    slotElement('approve').click()
    expect(commands(double)).toHaveLength(1)
  })

  test('runs the command of the tool plugin when it is approved, once', async () => {
    const double = paused(edit)
    const result = Promise.withResolvers<{ success: true; result: undefined }>()
    double.onCommand(() => result.promise)
    await mountChat(double)
    await approve().click()
    await expect.element(approve()).toHaveAttribute('aria-busy', 'true')
    slotElement('approve').click()
    // It names what was shown, so that another input under the same id is not approved.
    const fingerprint = fingerprintOfCall(edit)
    expect(commands(double)).toEqual([
      [
        'tool',
        'resumeToolCall',
        { toolCallId: 'c2', messageId: 'a1', fingerprint, outcome: 'yes' },
      ],
    ])
  })

  test('is denied in place, with a reason to choose', async () => {
    const double = paused(edit)
    await mountChat(double)
    await deny().click()
    await expect.element(page.getByText('The reason goes to the assistant')).toBeVisible()
    await page.getByRole('button', { name: 'Wrong target' }).click()
    await page.getByRole('button', { name: 'Deny: Wrong target' }).click()
    expect(commands(double)).toMatchObject([
      [
        'tool',
        'resumeToolCall',
        { toolCallId: 'c2', messageId: 'a1', outcome: 'no', reason: 'Wrong target' },
      ],
    ])
  })

  test('is denied with a reason in own words, and without any', async () => {
    const double = paused(edit)
    double.onCommand(() => ({ success: false, error: new EngineError('busy', 'Not yet.') }))
    await mountChat(double)
    await deny().click()
    await page.getByRole('button', { name: 'Something else…' }).click()
    const field = page.getByRole('textbox', { name: 'What should the assistant know?' })
    await expect.element(field).toHaveFocus()
    await userEvent.keyboard('Use a title of two words{Enter}')
    await page.getByRole('button', { name: 'Something else…' }).click()
    await deny().click()
    const payloads = commands(double).map((args) => (args as unknown[])[2])
    expect(payloads).toMatchObject([
      expect.objectContaining({ outcome: 'no', reason: 'Use a title of two words' }),
      { toolCallId: 'c2', messageId: 'a1', outcome: 'no' },
    ])
  })

  test('goes back from a denial to its buttons', async () => {
    await mountChat(paused(edit))
    await deny().click()
    await page.getByRole('button', { name: 'Back' }).click()
    await expect.element(deny()).toHaveFocus()
    await expect.element(approve()).toBeVisible()
  })

  test('shows why a decision was refused, and can be decided again', async () => {
    const double = paused(edit)
    double.onCommand(() => ({
      success: false,
      error: new EngineError('not_awaiting_approval', 'Tool call is not awaiting approval: c2'),
    }))
    await mountChat(double)
    await approve().click()
    await expect.element(page.getByRole('alert')).toMatchTextContent('can no longer be decided')
    await approve().click()
    expect(commands(double)).toHaveLength(2)
  })

  test('shows no buttons while a rule decides', async () => {
    const automatic = call('edit_file', 'c1', {
      state: 'approval-requested',
      input: {},
      approval: { id: 'x', isAutomatic: true },
    })
    await mountChat(paused(automatic))
    await expect.element(page.getByText('Edit file')).toBeVisible()
    expect(deny().elements()).toHaveLength(0)
  })
})

describe('an act that cannot be undone', () => {
  test('does not happen by a click, and happens when held', async () => {
    const double = paused(remove)
    await mountChat(double)
    const button = page.getByRole('button', { name: 'Delete' })
    await button.click()
    await expect.element(page.getByRole('button', { name: 'Hold: Delete' })).toBeVisible()
    expect(commands(double)).toEqual([])
    await page.getByRole('button', { name: 'Hold: Delete' }).click({ delay: 750 })
    expect(commands(double)).toMatchObject([
      ['tool', 'resumeToolCall', { toolCallId: 'c3', messageId: 'a1', outcome: 'yes' }],
    ])
  })

  test('does not happen when the pointer leaves before the time', async () => {
    const double = paused(remove)
    await mountChat(double)
    await expect.element(page.getByRole('button', { name: 'Delete' })).toBeEnabled()
    const button = slotElement('approve')
    button.dispatchEvent(new PointerEvent('pointerdown', { button: 0, bubbles: true }))
    await expect.poll(() => button.dataset['state']).toBe('holding')
    button.dispatchEvent(new PointerEvent('pointerleave'))
    await expect.poll(() => button.dataset['state']).toBe('hint')
    expect(commands(double)).toEqual([])
  })

  test('happens when Enter or A is held down, not when it is struck', async () => {
    const double = paused(remove)
    await mountChat(double)
    await expect.element(page.getByRole('button', { name: 'Delete' })).toBeEnabled()
    slotElement('approve').focus()
    await userEvent.keyboard('{Enter}')
    await userEvent.keyboard('a')
    expect(commands(double)).toEqual([])
    await userEvent.keyboard('{a>}')
    await expect.poll(() => commands(double)).toHaveLength(1)
    await userEvent.keyboard('{/a}')
  })

  test('takes two presses from an aid that can only click', async () => {
    const double = paused(remove)
    await mountChat(double)
    await expect.element(page.getByRole('button', { name: 'Delete' })).toBeEnabled()
    slotElement('approve').click()
    await expect.element(page.getByRole('button', { name: 'Press again: Delete' })).toBeVisible()
    expect(commands(double)).toEqual([])
    slotElement('approve').click()
    expect(commands(double)).toHaveLength(1)
  })
})

describe('the keys of a card', () => {
  const keys = (card: Element) =>
    [...card.querySelectorAll('kbd:not(.as-ask-next)')].filter((key) =>
      key.checkVisibility({ visibilityProperty: true }),
    )

  test('act only inside the card, and are shown on the one that they act on', async () => {
    const double = paused(edit, note)
    await mountChat(double)
    await expect.element(approve()).toBeEnabled()
    await userEvent.keyboard('a')
    expect(commands(double)).toEqual([])
    const [first, second] = document.querySelectorAll<HTMLElement>('[data-slot="ask"]')
    expect([...keys(first!), ...keys(second!)]).toEqual([])
    second!.focus()
    await expect.poll(() => keys(second!)).toHaveLength(3)
    expect(keys(first!)).toEqual([])
    await userEvent.keyboard('a')
    expect(commands(double)).toEqual([
      ['tool', 'resumeToolCall', expect.objectContaining({ toolCallId: 'c1', outcome: 'yes' })],
    ])
  })

  test('open the denial, deny, and go back', async () => {
    const double = paused(edit)
    await mountChat(double)
    await expect.element(approve()).toBeEnabled()
    slotElement('ask').focus()
    await userEvent.keyboard('d')
    await expect.element(page.getByRole('button', { name: 'Not now' })).toHaveFocus()
    await userEvent.keyboard('{Escape}')
    await expect.element(deny()).toHaveFocus()
    await userEvent.keyboard('d')
    await expect.element(page.getByRole('button', { name: 'Not now' })).toHaveFocus()
    await userEvent.keyboard('d')
    // Once it is known to be no word.
    await expect
      .poll(() => commands(double))
      .toMatchObject([
        ['tool', 'resumeToolCall', { toolCallId: 'c2', messageId: 'a1', outcome: 'no' }],
      ])
  })

  test('are letters again while a reason is written', async () => {
    const double = paused(edit)
    await mountChat(double)
    await deny().click()
    await page.getByRole('button', { name: 'Something else…' }).click()
    await expect.element(page.getByRole('textbox', { name: /assistant know/ })).toHaveFocus()
    await userEvent.keyboard('add a date')
    await expect
      .element(page.getByRole('textbox', { name: /assistant know/ }))
      .toHaveValue('add a date')
    expect(commands(double)).toEqual([])
  })

  test('can be turned off', async () => {
    const double = paused(edit)
    await mountChat(double, { config: { shortcuts: false } })
    await expect.element(approve()).toBeEnabled()
    slotElement('ask').focus()
    expect(keys(document.body)).toEqual([])
    await userEvent.keyboard('ad')
    expect(commands(double)).toEqual([])
    await expect.element(deny()).toBeVisible()
  })
})
