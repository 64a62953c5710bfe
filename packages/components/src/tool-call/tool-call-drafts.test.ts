import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { cleanup } from 'vitest-browser-vue'
import { approve, deny, edit, note, paused, settle } from '../../test/asks.ts'
import type { ChatDouble } from '../../test/chat-double.ts'
import { ask, assistant, question } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'

/** The page goes, and comes back with what the engine has kept. */
async function reload(double: ChatDouble): Promise<void> {
  cleanup()
  await mountChat(double)
}

const other = () => page.getByRole('button', { name: 'Something else…' })
const reason = () => page.getByRole('textbox', { name: 'What should the assistant know?' })
const restored = () => page.getByText('Draft restored')

describe('what was typed', () => {
  test('as a reason is there again after a reload, in the form that was open', async () => {
    const double = paused(edit, note)
    await mountChat(double)
    await deny().first().click()
    await other().click()
    await userEvent.keyboard('Use the other file')
    await reload(double)
    await expect.element(reason()).toHaveValue('Use the other file')
    await expect.element(restored()).toBeVisible()
    // It is there, but nobody has asked for the cursor.
    expect(document.activeElement).toBe(document.body)
    await userEvent.click(reason())
    await userEvent.keyboard('!')
    expect(restored().elements()).toHaveLength(0)
    // The other card is as it was.
    await expect.element(approve('Write')).toBeVisible()
  })

  test('as a chosen reason is chosen again', async () => {
    const double = paused(edit)
    await mountChat(double)
    await deny().click()
    await page.getByRole('button', { name: 'Wrong target' }).click()
    await reload(double)
    await expect
      .element(page.getByRole('button', { name: 'Wrong target', exact: true }))
      .toHaveAttribute('aria-pressed', 'true')
  })

  test('as an answer is there again', async () => {
    const double = paused(question('ask_person', 'c1', { question: 'Which?' }))
    await mountChat(double)
    await page.getByRole('textbox', { name: 'Your answer' }).fill('The left one')
    await reload(double)
    await expect
      .element(page.getByRole('textbox', { name: 'Your answer' }))
      .toHaveValue('The left one')
    await expect.element(restored()).toBeVisible()
  })

  test('as an always is chosen again', async () => {
    const double = paused(ask('write_note', 'c1', { path: 'notes/rent.md' }))
    await mountChat(double)
    await page.getByRole('button', { name: 'Always…' }).click()
    await page.getByText('Everywhere').click()
    await page.getByText('5 times').click()
    await reload(double)
    await expect.element(page.getByRole('radio', { name: 'Everywhere' })).toBeChecked()
    await expect.element(page.getByRole('radio', { name: '5 times' })).toBeChecked()
    await expect.element(restored()).toBeVisible()
  })

  test('as an edit is there again, also while it is no JSON, and goes with a reset', async () => {
    const double = paused(edit)
    await mountChat(double)
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    const field = page.getByRole('textbox', { name: 'Input as JSON' })
    await field.fill('{ "path": "docs')
    await reload(double)
    await expect.element(field).toHaveValue('{ "path": "docs')
    await expect.element(restored()).toBeVisible()
    await page.getByRole('button', { name: 'Reset' }).click()
    await expect.element(field).toHaveValue('{\n  "path": "README.md"\n}')
    await reload(double)
    await expect.element(field).toHaveValue('{\n  "path": "README.md"\n}')
    expect(restored().elements()).toHaveLength(0)
  })

  test('as an edit in a form is there again', async () => {
    const double = paused(edit)
    const schema = { type: 'object', properties: { path: { type: 'string' } } }
    double.answerSchema({ success: true, result: { schema } })
    await mountChat(double)
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    const field = page.getByRole('textbox', { name: /^path/ })
    await field.fill('docs/index.md')
    await reload(double)
    await expect.element(field).toHaveValue('docs/index.md')
  })

  test.for(["Please don't delete that", 'Add it later', 'do it tomorrow'])(
    'is what is typed while a reason to choose has the focus: %s',
    async (words) => {
      const double = paused(edit)
      await mountChat(double)
      await deny().click()
      await expect.element(page.getByRole('button', { name: 'Not now' })).toHaveFocus()
      await userEvent.keyboard(words)
      await expect.element(reason()).toHaveValue(words)
      await expect.element(reason()).toHaveFocus()
      expect(double.calls.filter(({ method }) => method === 'runPluginCommand')).toEqual([])
    },
  )

  test('stays when the form is closed, and when the message changes around it', async () => {
    const double = paused(edit)
    await mountChat(double)
    await deny().click()
    await other().click()
    await userEvent.keyboard('Not this')
    double.change('a1', (message) => ({
      ...message,
      parts: [...message.parts, { type: 'text', text: 'One more thing' }],
    }))
    await expect.element(page.getByText('One more thing')).toBeVisible()
    await expect.element(reason()).toHaveValue('Not this')
    await expect.element(reason()).toHaveFocus()
    await userEvent.keyboard('{Escape}')
    await deny().click()
    await expect.element(reason()).toHaveValue('Not this')
    await expect.element(reason()).toHaveFocus()
  })

  test('is not passed on to another call, nor opened for one that is decided', async () => {
    const double = paused(edit)
    await mountChat(double)
    await deny().click()
    await other().click()
    await userEvent.keyboard('Not this')
    cleanup()
    settle(double, 'c2', () => ({ ...edit, approval: { id: 'assent-new' } }) as typeof edit)
    await mountChat(double)
    await expect.element(approve()).toBeVisible()
    double.put(assistant('a2', note))
    await expect.element(page.getByRole('group', { name: /Write note/ })).toBeVisible()
    expect(reason().elements()).toHaveLength(0)
    expect(slotElement('ask').innerText).not.toContain('Not this')
  })
})
