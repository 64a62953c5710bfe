import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h } from 'vue'
import { createChatDouble } from '../../test/chat-double.ts'
import { assistant, text, user } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'

const field = () => page.getByRole('textbox', { name: 'Message' })
const button = (name: string) => page.getByRole('button', { name, exact: true })
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
  await button('Answer it').click()
  expect(double.calls.map(({ method }) => method)).toEqual(['retry'])
  double.put(assistant('a', text('Yes')))
  await expect.poll(() => button('Answer it').elements()).toHaveLength(0)
})

test('the focus is not lost with the button that had it', async () => {
  const double = createChatDouble({ requestState: 'aborted', messages: messages.slice(0, 3) })
  await mountChat(double)
  await button('Continue').click()
  double.set({ requestState: 'processing', processingState: 'requesting' })
  await expect.poll(() => document.activeElement).toBe(slotElement('scroller'))
  double.put(messages[3]!)
  double.set({ requestState: 'completed', processingState: undefined })
  await button('Another answer').click()
  await expect.poll(() => document.activeElement).toBe(slotElement('scroller'))
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
