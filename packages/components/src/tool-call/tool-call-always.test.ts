import { EngineError } from '@assent/engine'
import { describe, expect, test } from 'vitest'
import { page, userEvent, type Locator } from 'vitest/browser'
import { approve, commands, edit, note, paused, remove, settle } from '../../test/asks.ts'
import type { ChatDouble } from '../../test/chat-double.ts'
import { ask, decided, denied, executing, succeeded } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'

const always = (): Locator => page.getByRole('button', { name: 'Always…' })
const allow = (): Locator => page.getByRole('button', { name: 'Always allow' })
const choice = (name: string): Locator => page.getByRole('radio', { name })
const write = (id: string, path: string) => ask('write_note', id, { path, text: 'Due on Friday' })

/** The scopes that were given, with what else the decision said. */
function decisions(double: ChatDouble): unknown[] {
  return commands(double).map((args) => (args as unknown[])[2])
}

async function openForm(double: ChatDouble): Promise<void> {
  await mountChat(double)
  await always().first().click()
  await expect.element(allow()).toBeVisible()
}

describe('an always', () => {
  test('asks which calls, where and for how long, with the narrow chosen and an end', async () => {
    await openForm(paused(write('c1', 'notes/rent.md')))
    await expect.element(page.getByRole('group', { name: 'Which calls' })).toBeVisible()
    await expect.element(choice('When “path” is in notes/')).toHaveFocus()
    for (const name of ['When “path” is in notes/', 'This conversation', '8 hours']) {
      await expect.element(choice(name)).toBeChecked()
    }
    await expect.element(choice('Exactly this call')).not.toBeChecked()
    const sentence = () => slotElement('grant').innerText
    expect(sentence()).toMatch(
      /^Allow write_note when path is in notes\/, in this conversation, until \w+ \d+, \d+:\d\d.[AP]M\.$/,
    )
    await choice('Exactly this call').click()
    await page.getByText('Everywhere').click()
    await page.getByText('No expiry').click()
    await page.getByText('5 times').click()
    expect(sentence()).toBe(
      'Allow write_note with exactly this input, everywhere, with no expiry, 5 more times.',
    )
  })

  test('names the folder with its slash, also where the page runs from right to left', async () => {
    const double = paused(write('c1', 'notes/bills/rent.md'))
    await mountChat(double, { config: { dir: 'rtl' } })
    await always().first().click()
    await expect.element(allow()).toBeVisible()
    const isolated = (slot: string) =>
      [...slotElement(slot).querySelectorAll('bdi')].map(({ innerText }) => innerText)
    expect(isolated('always-form')).toContain('notes/bills/')
    expect(isolated('grant')).toEqual(['write_note', 'path', 'notes/bills/'])
    // English in such a page begins where that begins, and ends with its own stop.
    expect(getComputedStyle(slotElement('grant')).unicodeBidi).toBe('plaintext')
  })

  test('is given as it was chosen', async () => {
    const double = paused(write('c1', 'notes/rent.md'))
    await openForm(double)
    await choice('All calls of write_note').click()
    await page.getByText('Everywhere').click()
    await page.getByText('5 times').click()
    await allow().click()
    expect(commands(double)).toMatchObject([
      [
        'tool',
        'resumeToolCall',
        {
          toolCallId: 'c1',
          messageId: 'a1',
          outcome: 'yes_always',
          scope: { covers: 'tool', where: 'everywhere', uses: 5 },
        },
      ],
    ])
    await expect.element(allow()).toHaveAttribute('aria-busy', 'true')
  })

  test('is given by keyboard alone', async () => {
    const double = paused(write('c1', 'notes/rent.md'))
    await mountChat(double)
    await expect.element(approve('Write')).toBeEnabled()
    slotElement('ask').focus()
    await userEvent.keyboard('l')
    await expect.element(choice('When “path” is in notes/')).toHaveFocus()
    await userEvent.keyboard('{ArrowDown}{Tab}{ArrowRight}{Enter}')
    expect(decisions(double)).toEqual([
      expect.objectContaining({
        outcome: 'yes_always',
        scope: { covers: 'input', where: 'everywhere', until: expect.any(Number) },
      }),
    ])
  })

  test('is left by Escape and by Back, to the button that opened it', async () => {
    const double = paused(edit)
    await openForm(double)
    await userEvent.keyboard('{Escape}')
    await expect.element(always()).toHaveFocus()
    await always().click()
    await page.getByRole('button', { name: 'Back' }).click()
    await expect.element(always()).toHaveFocus()
    expect(commands(double)).toEqual([])
  })

  test('is left by Escape also where the letters are off', async () => {
    await mountChat(paused(edit), { config: { shortcuts: false } })
    await always().click()
    await expect.element(allow()).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await expect.element(always()).toHaveFocus()
  })

  test('names the command that it allows, as it begins', async () => {
    const start = 'rm -r dist coverage node_modules/.cache tmp/build tmp/logs t'
    await openForm(paused(ask('bash', 'c1', { command: `${start}rest` }, { risk: 'destroy' })))
    expect(slotElement('grant').innerText).toMatch(
      `Allow bash to run exactly “${start}…”, in this conversation`,
    )
  })

  test('covers exactly this call where it cannot be undone, and is held', async () => {
    const double = paused(remove)
    await openForm(double)
    await expect.element(page.getByText(/only this exact call can be allowed/)).toBeVisible()
    await expect.element(page.getByRole('group', { name: 'Which calls' })).not.toBeInTheDocument()
    await choice('No expiry').click()
    await userEvent.keyboard('{Enter}')
    await allow().click()
    expect(commands(double)).toEqual([])
    await page.getByRole('button', { name: 'Hold: Always allow' }).click({ delay: 750 })
    expect(decisions(double)).toEqual([
      expect.objectContaining({ scope: { covers: 'input', where: 'conversation' } }),
    ])
  })

  test('says what it would have matched, and warns of what was denied', async () => {
    const past = ['rent', 'gas', 'power'].map((name, index) =>
      succeeded(decided(write(`p${index}`, `notes/${name}.md`), true), 'Saved'),
    )
    const bank = denied(write('p8', 'bank/codes.md'))
    await openForm(paused(...past, bank, write('c1', 'notes/water.md')))
    const line = page.getByText(/^Would have matched/)
    await expect.element(line).toHaveTextContent('Would have matched 3 of 4 past calls.')
    expect(slotElement('explanation').dataset['tone']).toBeUndefined()
    await choice('All calls of write_note').click()
    await expect
      .element(line)
      .toHaveTextContent('Would have matched 4 of 4 past calls, 1 of which was denied.')
    expect(slotElement('explanation').dataset['tone']).toBe('unsure')
    await choice('Exactly this call').click()
    await expect.element(page.getByText('No past calls would have matched.')).toBeVisible()
  })

  test('says nothing about the past where there is none', async () => {
    await openForm(paused(note))
    expect(document.querySelector('[data-slot="explanation"]')).toBeNull()
  })

  test('shows why it was refused, and keeps what was chosen', async () => {
    const double = paused(edit)
    double.onCommand(() => ({
      success: false,
      error: new EngineError('scope_refused', 'That is too much.'),
    }))
    await openForm(double)
    await choice('Exactly this call').click()
    await allow().click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(/can’t cover that much/)
    await expect.element(choice('Exactly this call')).toBeChecked()
    await page.getByRole('button', { name: 'Back' }).click()
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
  })

  test('does not move what is before it, and leaves all as it was when it is closed', async () => {
    const double = paused(edit, { type: 'text', text: 'Further down' })
    await mountChat(double, { height: 900 })
    await expect.element(approve()).toBeEnabled()
    const boxes = (selector: string): string =>
      JSON.stringify(
        [...document.querySelectorAll(selector)].map((element) => element.getBoundingClientRect()),
      )
    const all = '[data-slot="ask"], [data-slot="text"], .as-evidence, h3, [data-slot="approve"]'
    const [first] = document.querySelectorAll('[data-slot="ask"]')
    const before = boxes(all)
    const above = [first!.getBoundingClientRect().top, boxes('h3')[0]]
    await always().first().click()
    await expect.element(allow()).toBeVisible()
    expect([first!.getBoundingClientRect().top, boxes('h3')[0]]).toEqual(above)
    await userEvent.keyboard('{Escape}')
    await expect.element(always().first()).toHaveFocus()
    expect(boxes(all)).toBe(before)
  })

  test('leaves a receipt as high as the buttons were; the cards below begin anew', async () => {
    const double = paused(edit, note)
    double.onCommand(({ toolCallId }) => {
      settle(double, toolCallId, (part) => executing(decided(part, true)))
      return { success: true, result: undefined }
    })
    await mountChat(double)
    await expect.element(approve()).toBeEnabled()
    const height = slotElement('ask').offsetHeight
    await always().first().click()
    await allow().click()
    await expect.poll(() => slotElement('receipt').innerText).toMatch(/Running/)
    expect(slotElement('ask').offsetHeight).toBe(height)
    slotElement('approve').click()
    expect(commands(double)).toHaveLength(1)
  })
})
