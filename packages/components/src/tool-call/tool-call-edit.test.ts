import { EngineError } from '@assent/engine'
import { describe, expect, test } from 'vitest'
import { page, userEvent, type Locator } from 'vitest/browser'
import { approve, commands, edit, paused, remove, settle } from '../../test/asks.ts'
import type { ChatDouble } from '../../test/chat-double.ts'
import { decided, elsewhere, executing, succeeded, withMetadata } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'
import { callDraftKey } from '../context/use-draft.ts'

const change = (): Locator => page.getByRole('button', { name: 'Edit', exact: true })
const field = (): Locator => page.getByRole('textbox', { name: 'Input as JSON' })
const confirm = (): Locator => page.getByRole('button', { name: 'Approve with changes' })

async function openEditor(double: ChatDouble): Promise<void> {
  await mountChat(double)
  await change().click()
  await expect.element(field()).toHaveFocus()
}

describe('an approval with changes', () => {
  test('sends the input as it was changed', async () => {
    const double = paused(edit)
    await openEditor(double)
    await expect.element(field()).toHaveValue('{\n  "path": "README.md"\n}')
    await field().fill('{ "path": "docs/index.md" }')
    await confirm().click()
    expect(commands(double)).toMatchObject([
      [
        'tool',
        'resumeToolCall',
        {
          toolCallId: 'c2',
          messageId: 'a1',
          outcome: 'yes',
          input: { path: 'docs/index.md' },
        },
      ],
    ])
  })

  test('is a plain approval where nothing was changed', async () => {
    const double = paused(edit)
    await openEditor(double)
    await field().fill('{"path":"README.md"}')
    await confirm().click()
    expect(commands(double)).toMatchObject([
      ['tool', 'resumeToolCall', { toolCallId: 'c2', messageId: 'a1', outcome: 'yes' }],
    ])
  })

  test('is not sent while it is no JSON, which is said at the field until it is mended', async () => {
    const double = paused(edit)
    await openEditor(double)
    await field().fill('{ "path": ')
    await confirm().click()
    await expect.element(field()).toHaveFocus()
    await expect.element(field()).toHaveAccessibleDescription(/^This is not valid JSON: /)
    await expect.element(field()).toHaveAttribute('aria-invalid', 'true')
    expect(commands(double)).toEqual([])
    await field().fill('{ "path": "a" }')
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
    await expect.element(field()).toHaveAttribute('aria-invalid', 'false')
  })

  test('keeps what was typed when the tool does not take it, and says why', async () => {
    const double = paused(edit)
    double.onCommand(() => ({
      success: false,
      error: new EngineError('invalid_input', '"path" must be a text.'),
    }))
    await openEditor(double)
    await field().fill('{ "path": 1 }')
    await confirm().click()
    await expect.element(field()).toHaveAccessibleDescription(/"path" must be a text\./)
    await expect.element(field()).toHaveValue('{ "path": 1 }')
    expect(page.getByRole('alert').elements()).toHaveLength(1)
    await field().fill('{ "path": 2 }')
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
  })

  test('shows in the card why it was refused otherwise', async () => {
    const double = paused(edit)
    double.onCommand(() => ({
      success: false,
      error: new EngineError('not_editable', 'The tool has no schema.'),
    }))
    await openEditor(double)
    await field().fill('{ "path": "a" }')
    await confirm().click()
    await expect
      .element(page.getByRole('alert'))
      .toMatchTextContent(/This call can only run as it is/)
    await expect.element(field()).toHaveValue('{ "path": "a" }')
  })

  test('is held where the call cannot be undone', async () => {
    const double = paused(remove)
    await openEditor(double)
    await field().fill('{ "paths": ["a.pdf"] }')
    await confirm().click()
    expect(commands(double)).toEqual([])
    await page.getByRole('button', { name: 'Hold: Approve with changes' }).click({ delay: 750 })
    expect(commands(double)).toHaveLength(1)
  })

  test('is left by Escape and by Back; letters are letters', async () => {
    const double = paused(edit)
    await openEditor(double)
    await userEvent.keyboard('adl')
    expect(commands(double)).toEqual([])
    await userEvent.keyboard('{Escape}')
    await expect.element(change()).toHaveFocus()
    await change().click()
    await expect.poll(() => (field().element() as HTMLTextAreaElement).value).toMatch(/adl/)
    await page.getByRole('button', { name: 'Reset' }).click()
    await expect.element(field()).toHaveValue('{\n  "path": "README.md"\n}')
    await page.getByRole('button', { name: 'Back' }).click()
    await expect.element(change()).toHaveFocus()
    await expect.element(page.getByText('README.md', { exact: true })).toBeVisible()
  })

  test('is not offered for calls that are executed elsewhere, or signed', async () => {
    const signed = { ...edit, approval: { id: 'assent-c2', signature: 'abc' } } as typeof edit
    await mountChat(paused(elsewhere(edit), signed))
    await expect.element(approve().first()).toBeEnabled()
    expect(change().elements()).toHaveLength(0)
  })

  test('is noted on the line, with the original beside what ran', async () => {
    const double = paused(edit)
    double.onCommand(({ toolCallId, input }) => {
      settle(double, toolCallId, (part) => {
        const edited = { ...executing(decided(part, true)), input } as typeof part
        return withMetadata(succeeded(edited, 'Saved'), { originalInput: { path: 'README.md' } })
      })
      return { success: true, result: undefined }
    })
    await openEditor(double)
    await field().fill('{ "path": "docs/index.md" }')
    await confirm().click()
    await expect.poll(() => slotElement('receipt').innerText).toMatch(/You · Edited · /)
    const row = page.getByRole('button', { name: /Change the title in README\.md .* Edited/ })
    await row.click()
    await expect
      .poll(() => slotElement('detail').innerText.replaceAll(/\s+/g, ' '))
      .toBe(
        'You changed this before it ran path Changed README.md docs/index.md Edited input path docs/index.md Output Saved',
      )
  })

  test('shows the form that another tab has opened, what is typed there, and that it is closed', async () => {
    const double = paused(edit)
    const key = callDraftKey('a1', edit)
    await mountChat(double)
    await expect.element(approve('Approve')).toBeVisible()
    double.chat.setDraft(`${key}/open`, 'editing')
    await expect.element(field()).toHaveValue('{\n  "path": "README.md"\n}')
    const json = '{ "path": "docs/index.md" }'
    const value = { path: 'docs/index.md' }
    double.chat.setDraft(`${key}/input`, { value, view: 'form', json, raw: {} })
    await expect.element(field()).toHaveValue(json)
    await confirm().click()
    expect(commands(double)).toMatchObject([['tool', 'resumeToolCall', { input: value }]])
    double.chat.setDraft(`${key}/open`, undefined)
    await expect.element(change()).toBeVisible()
  })

  test('keeps what was typed when the call is decided elsewhere, and says that it was not used', async () => {
    const double = paused(edit)
    await openEditor(double)
    await field().fill('{ "path": "docs/index.md" }')
    settle(double, 'c2', (part) => succeeded(executing(decided(part, true)), 'Saved'))
    const unused = page.getByText(/Your edit wasn’t used/)
    await expect.element(unused).toBeVisible()
    await expect.element(page.getByRole('insertion')).toHaveTextContent('docs/index.md')
    await expect.poll(() => slotElement('receipt').innerText).toMatch(/You · /)
    await page.getByRole('button', { name: 'Discard edit' }).click()
    await expect.element(unused).not.toBeInTheDocument()
    await expect.poll(() => slotElement('tool-call').dataset['density']).toBe('line')
  })
})
