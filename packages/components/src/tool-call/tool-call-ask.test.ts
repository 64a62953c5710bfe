import { EngineError, type ToolCallPart } from '@assent/engine'
import type { UIMessage } from 'ai'
import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { createChatDouble, type ChatDouble } from '../../test/chat-double.ts'
import { ask, assistant, call, decided, denied, executing, succeeded } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'

const note = ask('write_note', 'c1', { title: 'Rent', text: 'Due on Friday' })
const edit = ask(
  'edit_file',
  'c2',
  { path: 'README.md' },
  { summary: 'Change the title in README.md', risk: 'write' },
  'Files are asked about',
)
const remove = ask(
  'delete_files',
  'c3',
  { paths: ['a.pdf', 'b.pdf'] },
  { summary: 'Delete 2 files', risk: 'destroy' },
)

function paused(...parts: UIMessage['parts']): ChatDouble {
  return createChatDouble({ requestState: 'paused', messages: [assistant('a1', ...parts)] })
}

function settle(double: ChatDouble, id: string, make: (part: ToolCallPart) => ToolCallPart): void {
  double.change('a1', (message) => ({
    ...message,
    parts: message.parts.map((part) =>
      'toolCallId' in part && part.toolCallId === id ? make(part) : part,
    ),
  }))
}

/** What the decisions of this conversation were. */
function commands(double: ChatDouble): unknown[] {
  return double.calls
    .filter((recorded) => recorded.method === 'runPluginCommand')
    .map((recorded) => recorded.args)
}

const approve = (name = 'Approve') => page.getByRole('button', { name })
const deny = () => page.getByRole('button', { name: 'Deny', exact: true })

describe('a call that asks', () => {
  test('says what it would do, how risky that is, why it asks, and shows the whole input', async () => {
    await mountChat(paused(edit))
    const card = page.getByRole('group', { name: 'Change the title in README.md' })
    await expect.element(card).toHaveAccessibleDescription(/Makes a change/)
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
    const double = paused(edit)
    await mountChat(double)
    slotElement('approve').click()
    slotElement('deny').click()
    expect(commands(double)).toEqual([])
    await expect.element(approve()).toBeEnabled()
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
    expect(commands(double)).toEqual([
      ['tool', 'resumeToolCall', { toolCallId: 'c2', messageId: 'a1', outcome: 'yes' }],
    ])
  })

  test('is denied in place, with a reason to choose', async () => {
    const double = paused(edit)
    await mountChat(double)
    await deny().click()
    await expect.element(page.getByText('The reason goes to the assistant')).toBeVisible()
    await page.getByRole('button', { name: 'Wrong target' }).click()
    await page.getByRole('button', { name: 'Deny: wrong target' }).click()
    expect(commands(double)).toEqual([
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
    expect(payloads).toEqual([
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
    await expect.element(page.getByRole('alert')).toMatchTextContent('not awaiting approval: c2')
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
    expect(commands(double)).toEqual([
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
  test('act only inside the card, and are shown on the one that they act on', async () => {
    const double = paused(edit, note)
    await mountChat(double)
    await expect.element(approve()).toBeEnabled()
    await userEvent.keyboard('a')
    expect(commands(double)).toEqual([])
    const [first, second] = document.querySelectorAll<HTMLElement>('[data-slot="ask"]')
    expect(first!.querySelectorAll('kbd')).toHaveLength(2)
    expect(second!.querySelectorAll('kbd')).toHaveLength(0)
    second!.focus()
    await expect.poll(() => second!.querySelectorAll('kbd').length).toBe(2)
    expect(first!.querySelectorAll('kbd')).toHaveLength(0)
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
    expect(commands(double)).toEqual([
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
    expect(document.querySelectorAll('kbd')).toHaveLength(0)
    slotElement('ask').focus()
    await userEvent.keyboard('ad')
    expect(commands(double)).toEqual([])
    await expect.element(deny()).toBeVisible()
  })
})

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
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) shift += (entry as unknown as { value: number }).value
    })
    observer.observe({ type: 'layout-shift', buffered: false })
    slotElement('approve').click()
    settle(double, 'c2', (part) => executing(decided(part, true)))
    await expect.element(page.getByText('Running')).toBeVisible()
    expect(boxes()).toBe(before)
    settle(double, 'c2', (part) => succeeded(part, { ok: true }))
    await expect.poll(() => slotElement('receipt').innerText).toMatch(/Done/)
    expect(boxes()).toBe(before)
    observer.takeRecords()
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
      .toMatch(/^Denied · Not now you · \d{1,2}:\d\d/)
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
    await expect.element(page.getByRole('button', { name: /Write note/ })).toHaveFocus()
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
