import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h } from 'vue'
import { edit, note } from '../../test/asks.ts'
import { createChatDouble } from '../../test/chat-double.ts'
import { ask, assistant, text, user } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'

const field = () => page.getByRole('textbox', { name: 'Message' })
const button = (name: string) => page.getByRole('button', { name, exact: true })
const asks = (count: number) =>
  Array.from({ length: count }, (_, index) => ask('write_note', `w${index}`, { title: `${index}` }))
const messages = [
  user('u1', 'One'),
  assistant('a1', text('First')),
  user('u2', 'Two'),
  assistant('a2', text('Second')),
]

test('offers requests to begin with: one is sent, one is put into the field to be completed', async () => {
  const double = createChatDouble()
  await mountChat(double, {
    props: {
      prompts: [
        'List my notes',
        { label: 'Write a letter', text: 'Write a letter to ', fill: true },
        { label: 'Plan', text: 'Plan my week' },
      ],
    },
  })
  const prompts = page.getByRole('list', { name: 'Suggestions' })
  await prompts.getByRole('button', { name: /^Write a letter/ }).click()
  await expect.element(field()).toHaveValue('Write a letter to ')
  await expect.element(field()).toHaveFocus()
  await prompts.getByRole('button', { name: 'List my notes' }).click()
  await prompts.getByRole('button', { name: /^Plan/ }).click()
  const sent = double.calls.filter(({ method }) => method === 'sendMessage')
  expect(sent.map(({ args }) => args[0])).toEqual(['List my notes', 'Plan my week'])
})

test('goes on with a message that has no answer, as one that was loaded', async () => {
  const double = createChatDouble({ requestState: 'idle', messages: [user('u', 'Still there?')] })
  await mountChat(double)
  await button('Get a reply').click()
  expect(double.calls.map(({ method }) => method)).toEqual(['retry'])
  double.put(assistant('a', text('Yes')))
  await expect.poll(() => button('Get a reply').elements()).toHaveLength(0)
})

test('the focus is not lost with the button that had it', async () => {
  const double = createChatDouble({ requestState: 'aborted', messages: messages.slice(0, 3) })
  await mountChat(double)
  await button('Try again').click()
  double.set({ requestState: 'processing', processingState: 'requesting' })
  await expect.poll(() => document.activeElement).toBe(slotElement('scroller'))
  double.put(messages[3]!)
  double.set({ requestState: 'completed', processingState: undefined })
  await button('Regenerate').click()
  await expect.poll(() => document.activeElement).toBe(slotElement('scroller'))
})

test('the focus is not lost after a stop, nor after the way to the end', async () => {
  const double = createChatDouble({
    requestState: 'processing',
    messages: [user('u', 'Go'), assistant('a', text('Long.\n\n'.repeat(80), 'streaming'))],
  })
  await mountChat(double)
  const scroller = slotElement('scroller')
  scroller.dispatchEvent(new WheelEvent('wheel', { deltaY: -1 }))
  scroller.scrollTop = 0
  await button('Jump to latest').click()
  await expect.poll(() => document.querySelector('[data-slot="jump"]')).toBeNull()
  expect(document.activeElement).toBe(scroller)
  await button('Stop').click()
  double.set({ requestState: 'aborted' })
  await expect.poll(() => document.querySelector('[data-slot="stop"]')).toBeNull()
  await expect.element(field()).toHaveFocus()
})

test('goes to the next card that waits from anywhere, and back to where one writes', async () => {
  const messages = [assistant('a1', text('Long.\n\n'.repeat(60)), edit, note, ...asks(2))]
  await mountChat(createChatDouble({ requestState: 'paused', messages }), {
    props: { tray: false },
  })
  const hint = (index: number) => slotElement('ask', index).querySelector('.as-ask-next')
  await expect.poll(() => hint(0)?.checkVisibility({ visibilityProperty: true })).toBe(true)
  expect(hint(0)?.textContent).toBe('F8')
  await field().click()
  await userEvent.keyboard('Not yet{F8}')
  for (let index = 0; index < 4; index += 1) {
    expect(document.activeElement).toBe(slotElement('ask', index))
    expect(hint(index)?.checkVisibility({ visibilityProperty: true })).toBe(false)
    await userEvent.keyboard('{F8}')
  }
  await expect.element(field()).toHaveFocus()
  await expect.element(field()).toHaveValue('Not yet')
  slotElement('ask', 1).querySelector<HTMLElement>('[data-slot="deny"]')!.focus()
  await userEvent.keyboard('{F8}')
  expect(document.activeElement).toBe(slotElement('ask', 2))
})

test('takes another key for that, and none', async () => {
  const double = () =>
    createChatDouble({ requestState: 'paused', messages: [assistant('a', edit)] })
  const first = await mountChat(double(), { config: { nextKey: 'Alt+N' } })
  await expect.poll(() => document.querySelector('.as-ask-next')?.textContent).toBe('Alt+N')
  await userEvent.keyboard('{F8}')
  expect(document.activeElement).toBe(document.body)
  await userEvent.keyboard('{Alt>}n{/Alt}')
  expect(document.activeElement).toBe(slotElement('ask'))
  await first.unmount()
  await mountChat(double(), { config: { nextKey: '' } })
  await expect.element(page.getByRole('button', { name: 'Deny' })).toBeEnabled()
  expect(document.querySelector('.as-ask-next')).toBeNull()
})

test('goes from message to message by J and K, but not while something is typed', async () => {
  await mountChat(createChatDouble({ messages }))
  const focused = () => document.activeElement?.querySelector('h2 + *')?.textContent?.trim()
  slotElement('scroller').focus()
  await userEvent.keyboard('k')
  expect(focused()).toBe('Second')
  await userEvent.keyboard('kk')
  expect(focused()).toBe('First')
  await userEvent.keyboard('j')
  expect(focused()).toBe('Two')
  await field().click()
  await userEvent.keyboard('jk')
  await expect.element(field()).toHaveValue('jk')
})

test('leaves the letters alone where shortcuts are switched off', async () => {
  await mountChat(createChatDouble({ messages }), { config: { shortcuts: false } })
  slotElement('scroller').focus()
  await userEvent.keyboard('k')
  expect(document.activeElement).toBe(slotElement('scroller'))
})

test('brings former messages back, sends files, and takes them wherever they are dropped', async () => {
  const double = createChatDouble({ messages })
  await mountChat(double, { props: { composer: { attach: true } } })
  await field().click()
  await userEvent.keyboard('{ArrowUp}{ArrowUp}')
  await expect.element(field()).toHaveValue('One')
  const dataTransfer = new DataTransfer()
  dataTransfer.items.add(new File(['Plan'], 'plan.txt', { type: 'text/plain' }))
  const drop = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true })
  slotElement('bubble').dispatchEvent(drop)
  expect(drop.defaultPrevented).toBe(true)
  await expect.element(page.getByText('plan.txt')).toBeVisible()
  await field().click()
  await userEvent.keyboard('{Enter}')
  await expect
    .poll(() => double.calls.find(({ method }) => method === 'sendMessage')?.args[0])
    .toMatchObject({ text: 'One', files: [{ filename: 'plan.txt', mediaType: 'text/plain' }] })
})

test('has a slot for every region', async () => {
  const names = ['header', 'status', 'dock', 'queue', 'composer', 'footer']
  const slots = Object.fromEntries(names.map((name) => [name, () => h('p', `My ${name}`)]))
  await mountChat(createChatDouble({ messages }), { slots })
  for (const name of names) await expect.element(page.getByText(`My ${name}`)).toBeVisible()
  expect(field().elements()).toHaveLength(0)
  const parts = ['composer-header', 'composer-actions', 'composer-hint', 'composer-buttons']
  await mountChat(createChatDouble({ messages }), {
    slots: Object.fromEntries(parts.map((name) => [name, () => h('p', `My ${name}`)])),
  })
  for (const name of parts) await expect.element(page.getByText(`My ${name}`)).toBeVisible()
})
