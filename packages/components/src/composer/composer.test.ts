import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { render, type RenderResult } from 'vitest-browser-vue'
import '../style/index.css'
import AsComposer from './AsComposer.vue'
import type { AsComposerProps } from './composer-types.ts'

function mount(props: AsComposerProps = {}): Promise<RenderResult<object>> {
  return render(AsComposer, { props })
}

const field = () => page.getByRole('textbox', { name: 'Message' })
const sendButton = () => page.getByRole('button', { name: 'Send message' })

test('sends on Enter and is empty afterwards, with the cursor still in it', async () => {
  const { emitted } = await mount()
  await field().click()
  await userEvent.keyboard('  Hello  {Enter}')
  expect(emitted('send')).toEqual([['Hello', []]])
  await expect.element(field()).toHaveValue('')
  await expect.element(field()).toHaveFocus()
})

test('breaks the line on Shift+Enter and grows with its text, up to a limit', async () => {
  const { emitted } = await mount({ maxHeight: 120 })
  await field().click()
  const height = (): number => field().element().clientHeight
  const one = height()
  await userEvent.keyboard('a{Shift>}{Enter}{/Shift}b')
  await expect.element(field()).toHaveValue('a\nb')
  await expect.poll(height).toBeGreaterThan(one)
  await userEvent.fill(field(), 'line\n'.repeat(30))
  await expect.poll(height).toBe(120)
  expect(emitted('send')).toBeUndefined()
  await userEvent.fill(field(), '')
  await expect.poll(height).toBe(one)
})

test('grows also when its place becomes narrower', async () => {
  await mount({
    modelValue: 'A text of several words that fits into one line. '.repeat(2),
  } as object)
  const height = (): number => field().element().clientHeight
  const before = height()
  field().element().closest('form')!.style.inlineSize = '160px'
  await expect.poll(height).toBeGreaterThan(before)
})

test('sends nothing that is empty', async () => {
  const { emitted } = await mount()
  await field().click()
  await userEvent.keyboard('  {Enter}')
  await expect.element(sendButton()).toHaveAttribute('aria-disabled', 'true')
  expect(emitted('send')).toBeUndefined()
})

function press(init: KeyboardEventInit): void {
  const event = new KeyboardEvent('keydown', {
    key: 'Enter',
    bubbles: true,
    cancelable: true,
    ...init,
  })
  field().element().dispatchEvent(event)
}

test('leaves the Enter that ends a composition to the input method', async () => {
  const { emitted } = await mount()
  await userEvent.fill(field(), 'にほん')
  press({ isComposing: true })
  press({ keyCode: 229 })
  expect(emitted('send')).toBeUndefined()
  // Safari: the Enter comes right after the end of the composition, marked by nothing.
  field()
    .element()
    .dispatchEvent(new CompositionEvent('compositionend', { bubbles: true }))
  press({})
  expect(emitted('send')).toBeUndefined()
  // A later Enter is the person's own.
  const pressAgain = () => {
    press({})
    return emitted('send')
  }
  await expect.poll(pressAgain).toEqual([['にほん', []]])
})

test('stops while it works, and queues what is written meanwhile', async () => {
  const { emitted } = await mount({ requestState: 'processing' })
  await expect
    .element(field())
    .toHaveAttribute('placeholder', 'Add a message. It sends when this finishes.')
  await page.getByRole('button', { name: 'Stop' }).click()
  expect(emitted('stop')).toHaveLength(1)
  expect(sendButton().elements()).toHaveLength(0)
  await userEvent.fill(field(), 'Next')
  await page.getByRole('button', { name: 'Queue message' }).click()
  expect(emitted('send')).toEqual([['Next', []]])
  await expect.element(page.getByRole('button', { name: 'Stop' })).toBeVisible()
})

test('says that what is written waits for the decision while paused', async () => {
  await mount({ requestState: 'paused' })
  await expect
    .element(field())
    .toHaveAttribute('placeholder', 'Add a message. It sends once you decide.')
})

test('binds its text and can be given the cursor', async () => {
  const { rerender, emitted } = await render(AsComposer, { props: { modelValue: 'Draft' } })
  await expect.element(field()).toHaveValue('Draft')
  await userEvent.fill(field(), 'Draft 2')
  expect(emitted('update:modelValue')!.at(-1)).toEqual(['Draft 2'])
  await rerender({ modelValue: 'Other' })
  await expect.element(field()).toHaveValue('Other')
})

test('brings former messages back by arrow keys, and gives the empty field up again', async () => {
  const history = ['First', 'Two\nlines', 'Third']
  const { emitted } = await mount({ history: () => history })
  await field().click()
  await userEvent.keyboard('{ArrowUp}')
  await expect.element(field()).toHaveValue('Third')
  await userEvent.keyboard('{ArrowUp}')
  await expect.element(field()).toHaveValue('Two\nlines')
  // Within the text the cursor moves first.
  await userEvent.keyboard('{ArrowUp}')
  await expect.element(field()).toHaveValue('Two\nlines')
  await userEvent.keyboard('{ArrowUp}')
  await expect.element(field()).toHaveValue('First')
  await userEvent.keyboard('{ArrowUp}')
  await expect.element(field()).toHaveValue('First')
  await userEvent.keyboard('{ArrowDown}')
  await expect.element(field()).toHaveValue('Two\nlines')
  await userEvent.keyboard('{Escape}')
  await expect.element(field()).toHaveValue('')
  // What is changed is a new text, which the arrow keys leave alone.
  await userEvent.keyboard('{ArrowUp}!{ArrowUp}')
  await expect.element(field()).toHaveValue('Third!')
  await userEvent.keyboard('{Enter}')
  expect(emitted('send')).toEqual([['Third!', []]])
})

test('leaves the arrow keys to a text that was typed', async () => {
  await mount({ history: () => ['Former'] })
  await userEvent.fill(field(), 'Mine')
  await userEvent.keyboard('{ArrowUp}{ArrowDown}')
  await expect.element(field()).toHaveValue('Mine')
})

test('sends by Ctrl+Enter where Enter is to break the line', async () => {
  const { emitted } = await mount({ sendKey: 'mod+enter' })
  await field().click()
  await userEvent.keyboard('a{Enter}b')
  await expect.element(field()).toHaveValue('a\nb')
  expect(emitted('send')).toBeUndefined()
  await userEvent.keyboard('{Control>}{Enter}{/Control}')
  expect(emitted('send')).toEqual([['a\nb', []]])
})

test('takes a text that is too long, says by how much, and does not send it', async () => {
  const { emitted } = await mount({ maxLength: 5 })
  await field().click()
  await userEvent.keyboard('1234567{Enter}')
  await expect.element(page.getByText('2 characters over the limit')).toBeVisible()
  await expect.element(field()).toHaveAccessibleDescription('2 characters over the limit')
  await expect.element(field()).toHaveAttribute('aria-invalid', 'true')
  expect(emitted('send')).toBeUndefined()
  await userEvent.keyboard('{Backspace}{Backspace}{Enter}')
  expect(emitted('send')).toEqual([['12345', []]])
})

test('takes nothing while it is disabled, but still stops', async () => {
  const { emitted } = await mount({ disabled: true, requestState: 'processing', attach: true })
  await expect.element(field()).toBeDisabled()
  await expect.element(page.getByRole('button', { name: 'Attach files' })).toBeDisabled()
  await page.getByRole('button', { name: 'Stop' }).click()
  expect(emitted('stop')).toHaveLength(1)
})
