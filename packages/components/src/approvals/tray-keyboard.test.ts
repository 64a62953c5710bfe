import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { button, frames, mountApprovalChat, row, tray } from '../../test/approval-chat.ts'

const message = () => page.getByRole('textbox', { name: 'Message' })

test('the whole way by keyboard: into the tray, through its rows, decided, and back to the composer', async () => {
  const { chat, effects } = await mountApprovalChat(['write:a', 'send:b', 'wipe:c'])
  await expect.element(button(/reviewed…$/)).toBeEnabled()
  // Where the first card has taken the focus, and the view with it.
  document.querySelector<HTMLElement>('[data-slot="jump"]')?.click()
  await message().click()
  await expect.element(button(/reviewed…$/)).toBeEnabled()
  await userEvent.keyboard('{Shift>}{Tab}{/Shift}')
  await expect.element(button(/reviewed…$/)).toHaveFocus()
  await userEvent.keyboard('{Shift>}{Tab}{/Shift}{Enter}')
  await expect.element(row('Write a')).toHaveFocus()
  await userEvent.keyboard('{ArrowUp}{End}')
  await expect.element(row('Wipe c')).toHaveFocus()
  await userEvent.keyboard('{Home}{ArrowDown}')
  await expect.element(row('Send b')).toHaveFocus()
  await expect.element(row('Send b').getByRole('button', { name: 'Send' })).toBeEnabled()
  await userEvent.keyboard('a')
  await expect.element(row('Wipe c')).toHaveFocus()
  expect(chat.confirmations.value).toMatchObject([{ toolCallId: 'send:b', outcome: 'yes' }])

  // What cannot be undone takes a held key: a short press says so, and approves nothing.
  await expect.element(row('Wipe c').getByRole('button', { name: 'Approve' })).toBeEnabled()
  await userEvent.keyboard('a')
  await expect.element(row('Wipe c').getByRole('button', { name: /^Hold: Approve/ })).toBeVisible()
  await userEvent.keyboard('d')
  await expect.element(row('Wipe c').getByRole('button', { name: 'Not now' })).toHaveFocus()
  await userEvent.keyboard('{Escape}')
  await expect.element(row('Wipe c')).toHaveFocus()
  await userEvent.keyboard('d')
  await expect.element(row('Wipe c').getByRole('button', { name: 'Not now' })).toHaveFocus()
  await userEvent.keyboard('{Enter}d')
  await expect.element(row('Write a')).toHaveFocus()
  expect(chat.confirmations.value[1]).toMatchObject({
    toolCallId: 'wipe:c',
    outcome: 'no',
    reason: 'Not now',
  })
  await expect.element(row('Write a').getByRole('button', { name: 'Write' })).toBeEnabled()
  await userEvent.keyboard('a')
  await expect.element(page.getByText('All done.')).toBeVisible()
  expect(effects).toEqual(['a', 'b'])
  await expect.element(message()).toHaveFocus()
})

test('Escape goes back step by step, and the focus with it', async () => {
  await mountApprovalChat(['write:a', 'write:b'])
  await button('Review').click()
  await expect.element(row('Write a')).toHaveFocus()
  await button('Deny all 2…').click()
  await expect.element(button('Not now')).toHaveFocus()
  await userEvent.keyboard('{Escape}')
  await expect.element(button('Deny all 2…')).toHaveFocus()
  await userEvent.keyboard('{Escape}')
  await expect.element(button('Review')).toHaveFocus()
  expect(row('Write a').elements()).toHaveLength(0)
})

test('letters do nothing in the first moment', async () => {
  const { chat } = await mountApprovalChat(['write:a', 'write:b'])
  await button('Review').click()
  await expect.element(row('Write a')).toHaveFocus()
  // Too early.
  row('Write a')
    .element()
    .dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }))
  await frames(3)
  expect(chat.confirmations.value).toEqual([])
})

test('letters can be switched off', async () => {
  const { chat } = await mountApprovalChat(['write:a', 'write:b'], { config: { shortcuts: false } })
  await button('Review').click()
  await expect.element(row('Write a').getByRole('button', { name: 'Write' })).toBeEnabled()
  await userEvent.keyboard('ad')
  await frames(3)
  expect(chat.confirmations.value).toEqual([])
  expect(tray().getByRole('button', { name: 'Not now' }).elements()).toHaveLength(0)
})

test('Enter on a row shows the card', async () => {
  await mountApprovalChat(['write:a', 'write:b', 'write:c'], { height: 420 })
  await button('Review').click()
  await expect.element(row('Write a')).toHaveFocus()
  await userEvent.keyboard('{Enter}')
  const card = page
    .getByRole('region', { name: 'Conversation' })
    .getByRole('group', { name: 'Write a' })
  await expect.element(card).toHaveFocus()
  await expect.element(card).toBeInViewport()
  expect(row('Write a').elements()).toHaveLength(0)
})
