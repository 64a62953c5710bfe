import { EngineError, type RequestState, type TurnNotice, type WaitingFor } from '@assent/engine'
import { provideMessage } from '@assent/vue'
import { beforeAll, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-vue'
import { defineComponent, h, shallowRef } from 'vue'
import { createChatDouble } from '../../test/chat-double.ts'
import { ask, assistant, decided, denied, text, user } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'
import AsChat from './AsChat.vue'
import { loadMarkdown } from '../markdown/markdown-code.ts'

beforeAll(loadMarkdown)

const field = () => page.getByRole('textbox', { name: 'Message' })
const button = (name: string) => page.getByRole('button', { name, exact: true })
const slot = (name: string) => page.elementLocator(slotElement(name))
const announced = (): string[] =>
  [...slotElement('announcements').children].map((element) => element.textContent ?? '')

test('invites to write while there is no message, and takes another invitation', async () => {
  await mountChat(createChatDouble())
  await expect.element(page.getByText('What can I do for you?')).toBeVisible()
  await mountChat(createChatDouble(), {
    slots: { empty: () => h('p', 'Welcome'), header: () => h('p', 'Top') },
  })
  await expect.element(page.getByText('Welcome')).toBeVisible()
  await expect.element(page.getByText('Top')).toBeVisible()
})

test('shows the messages of both sides under a heading each', async () => {
  await mountChat(
    createChatDouble({ messages: [user('u', 'Hi\nthere'), assistant('a', text('*Yes*'))] }),
  )
  const headings = page.getByRole('heading', { level: 2 }).elements()
  expect(headings.map((heading) => heading.textContent)).toEqual(['You', 'Assistant'])
  expect(slotElement('bubble').textContent).toContain('Hi\nthere')
  expect(slotElement('bubble', 1).querySelector('em')!.textContent).toBe('Yes')
})

test('leaves out what nobody needs to see: system messages, steps, empty thoughts', async () => {
  const double = createChatDouble({
    messages: [
      { id: 's', role: 'system', parts: [{ type: 'text', text: 'You are a secret.' }] },
      assistant(
        'a',
        { type: 'reasoning', text: '', state: 'done' },
        { type: 'step-start' },
        text(''),
      ),
    ],
  })
  await mountChat(double)
  expect(slotElement('bubble-body').innerText.trim()).toBe('')
  expect(slotElement('list').innerText).not.toContain('secret')
})

test('finds the conversation that was provided above', async () => {
  const double = createChatDouble({ messages: [user('u', 'Provided')] })
  const App = defineComponent(() => {
    provideMessage(double.chat)
    return () => h(AsChat)
  })
  await render(App)
  await expect.element(page.getByText('Provided')).toBeVisible()
})

test('sends what is written, and gives back what was not taken', async () => {
  const double = createChatDouble()
  await mountChat(double)
  await field().click()
  await userEvent.keyboard('Hello{Enter}')
  expect(double.calls.filter(({ method }) => method !== 'setDraft')).toEqual([
    { method: 'sendMessage', args: ['Hello'] },
  ])
  await expect.element(field()).toHaveValue('')
  double.chat.sendMessage = async () => ({
    turnId: undefined,
    requestState: 'paused',
    error: new EngineError('busy', 'A turn is open.'),
  })
  await userEvent.keyboard('Hello again{Enter}')
  await expect.element(field()).toHaveValue('Hello again')
  expect(announced()).toContain('Wait until the reply finishes.')
})

test('stops a turn', async () => {
  const double = createChatDouble({ requestState: 'processing', processingState: 'completing' })
  await mountChat(double)
  await button('Stop').click()
  expect(double.calls).toEqual([{ method: 'abort', args: [] }])
})

test('shows that an answer is on its way before there is any of it', async () => {
  const double = createChatDouble({ requestState: 'processing', processingState: 'requesting' })
  await mountChat(double)
  await expect.element(page.getByText('Working…')).toBeInTheDocument()
  double.set({ processingState: 'completing' })
  double.put(assistant('a'))
  await expect.element(page.getByText('Working…')).toBeInTheDocument()
  double.put(assistant('a', text('I', 'streaming')))
  await expect.element(page.getByText('Working…')).not.toBeInTheDocument()
})

test('says why a turn failed and tries again', async () => {
  const double = createChatDouble({
    requestState: 'error',
    error: new EngineError('http_status', 'The server answered 503.', { details: { status: 503 } }),
    messages: [user('u', 'Hi')],
  })
  await mountChat(double)
  await expect.element(page.getByText('The server is busy. Try again in a moment.')).toBeVisible()
  await page.getByText('Details').click()
  await expect.element(page.getByText('http_status · The server answered 503.')).toBeVisible()
  await button('Try again').click()
  expect(double.calls.map((call) => call.method)).toEqual(['retry'])
  double.chat.retry = async () => ({
    turnId: undefined,
    requestState: 'error',
    error: new EngineError('nothing_to_retry', 'There is nothing to go on with.'),
  })
  await button('Try again').click()
  await expect.element(page.getByText('Something went wrong. Try again.')).toBeVisible()
})

test('tries again after a stop', async () => {
  const double = createChatDouble({ requestState: 'aborted', messages: [user('u', 'Hi')] })
  await mountChat(double)
  await button('Try again').click()
  expect(double.calls.map((call) => call.method)).toEqual(['retry'])
})

const turn = { id: 't', step: 5, maxSteps: 5, unsent: [], customContext: {} }

/** A conversation whose last turn ended with a notice. */
const endedWith = (notice: TurnNotice, requestState: RequestState = 'completed') =>
  createChatDouble({
    requestState,
    turn: { ...turn, notice },
    messages: [user('u', 'Hi'), assistant('a', { type: 'step-start' })],
  })

test.for([
  ['max-steps', 'Stopped at the 5-step limit. Send a message to continue.'],
  ['length', 'This reply was cut off at the length limit.'],
  ['content-filter', 'A content filter cut off this reply.'],
  ['refusal', 'The model declined to reply.'],
  ['empty', 'The model sent an empty reply.'],
] as const)('says why a reply ends where it does: %s', async ([notice, words]) => {
  const double = endedWith(notice, 'processing')
  await mountChat(double)
  double.set({ requestState: 'completed' })
  await expect.element(page.getByText(words).first()).toBeVisible()
  await expect.element(slot('turn-notice')).toMatchTextContent(words)
  // Nobody is told that it is complete.
  expect(announced().at(-1)).toBe(words)
})

test('goes on with a reply that was cut off, also one of before', async () => {
  const double = endedWith('length', 'idle')
  await mountChat(double)
  await button('Continue').click()
  expect(double.calls).toEqual([{ method: 'retry', args: [] }])
})

test.for(['empty', 'refusal'] as const)(
  'asks anew for a reply that is none: %s',
  async (notice) => {
    const double = endedWith(notice)
    await mountChat(double)
    // There is nothing to copy.
    expect(getComputedStyle(slotElement('bubble-foot', 1)).display).toBe('none')
    double.chat.regenerate = async () => ({
      turnId: undefined,
      requestState: 'completed',
      error: new EngineError('busy', 'Another turn is open.'),
    })
    await button('Try again').click()
    await expect.element(page.getByText('Wait until the reply finishes.')).toBeVisible()
  },
)

test.for([
  ['response', 'Waiting for the server…'],
  ['stream', 'Waiting for the server…'],
  ['storage', 'Waiting for storage…'],
  ['rule', 'Checking the rules…'],
  ['hook', 'Waiting for the connection…'],
] as const)('says what it waits for and for how long: %s', async ([type, words]) => {
  const double = createChatDouble({
    requestState: 'processing',
    processingState: 'calling-tools',
    turn: { ...turn, waitingFor: { type, since: Date.now() - 72_500 } as WaitingFor },
    messages: [user('u', 'Hi'), assistant('a', text('I', 'streaming'))],
  })
  await mountChat(double)
  await expect.element(page.getByText(`${words} 1m 12s`)).toBeVisible()
  double.set({ turn })
  await expect.element(page.getByText(words)).not.toBeInTheDocument()
})

test('is quiet about a wait that has just begun, and about a tool, which says so itself', async () => {
  const since = Date.now()
  const double = createChatDouble({
    requestState: 'processing',
    processingState: 'requesting',
    turn: { ...turn, waitingFor: { type: 'response', since } },
    messages: [user('u', 'Hi')],
  })
  await mountChat(double)
  await expect.element(slot('working')).toMatchTextContent('Working')
  expect(document.querySelector('.as-wait')).toBeNull()
  const toolCall = { messageId: 'a', step: 1, toolCallId: '1' }
  double.set({
    turn: { ...turn, waitingFor: { type: 'tool', toolName: 'x', toolCall, since: since - 60_000 } },
  })
  await expect.element(slot('working')).toMatchTextContent('Working')
  expect(document.querySelector('.as-wait')).toBeNull()
})

test('says that the provider is still working, and when it paused too often', async () => {
  const unfinished = { step: 1, reason: 'pause_turn', isContinued: true }
  const customContext = { continuation: { count: 2, max: 10, unfinished } }
  const messages = [user('u', 'Hi')]
  const working = createChatDouble({
    requestState: 'processing',
    processingState: 'requesting',
    turn: { ...turn, step: 2, customContext },
    messages,
  })
  await mountChat(working)
  await expect.element(page.getByText('Still working (2 of 10)')).toBeVisible()
  const over = createChatDouble({
    requestState: 'completed',
    turn: { ...turn, customContext, notice: 'max-continuations' },
    messages,
  })
  await mountChat(over)
  await expect.element(page.getByText(/The provider paused too many times/)).toBeVisible()
})

test('lists what waits for its turn, to be changed, dropped or sent now', async () => {
  const double = createChatDouble({
    requestState: 'aborted',
    queue: [
      { id: 'q1', message: user('m1', 'First'), held: true },
      { id: 'q2', message: user('m2', 'Second'), held: false },
    ],
  })
  await mountChat(double)
  const [first, second] = [0, 1].map((index) =>
    page.getByRole('list', { name: 'Queued messages' }).getByRole('listitem').nth(index),
  )
  await expect.element(first!).toMatchTextContent('Paused')
  await expect.element(second!).not.toMatchTextContent('Paused')
  await first!.getByRole('button', { name: /^Send now/ }).click()
  await second!.getByRole('button', { name: /^Edit / }).click()
  await expect.element(page.getByRole('textbox', { name: /^Edit / })).toHaveFocus()
  await userEvent.keyboard('{End} thoughts{Enter}')
  await expect.element(second!.getByRole('button', { name: /^Edit / })).toHaveFocus()
  await second!.getByRole('button', { name: 'Move “Second”' }).click()
  await userEvent.keyboard('{ArrowUp}')
  expect(announced()).toEqual(['Now 1 of 2.'])
  await second!.getByRole('button', { name: /^Remove / }).click()
  expect(double.calls).toEqual([
    { method: 'sendQueued', args: ['q1'] },
    { method: 'holdQueued', args: ['q2', true] },
    { method: 'editQueued', args: ['q2', { text: 'Second thoughts', files: [] }] },
    { method: 'moveQueued', args: ['q2', 0] },
    { method: 'holdQueued', args: ['q2', true] },
  ])
})

test('leaves a waiting message alone that was sent a moment before', async () => {
  const double = createChatDouble({ queue: [{ id: 'q', message: user('m', 'Late'), held: false }] })
  double.chat.sendQueued = () => {
    throw new EngineError('unknown_message', 'No message has this id.')
  }
  await mountChat(double)
  await page.getByRole('button', { name: /^Send now/ }).click()
  await expect.element(page.getByText('Late')).toBeVisible()
})

test('opens what the model thought on demand', async () => {
  const thought = { type: 'reasoning' as const, text: 'A **plan**', state: 'done' as const }
  const double = createChatDouble({ messages: [assistant('a', thought)] })
  await mountChat(double)
  await button('Thought').click()
  await expect.element(page.getByText('plan')).toBeVisible()
})

test('names files and sources, and links only where a link is safe', async () => {
  const double = createChatDouble({
    messages: [
      assistant(
        'a',
        {
          type: 'file',
          mediaType: 'text/html',
          filename: 'a.html',
          url: 'data:text/html,<script>',
        },
        { type: 'source-url', sourceId: '1', url: 'https://example.com/a', title: 'Example' },
        { type: 'source-url', sourceId: '2', url: 'javascript:alert(1)' },
        { type: 'source-document', sourceId: '3', mediaType: 'application/pdf', title: 'Report' },
      ),
    ],
  })
  await mountChat(double)
  await expect.element(page.getByText('a.html')).toBeVisible()
  await expect.element(page.getByText('Report')).toBeVisible()
  const links = page.getByRole('link').elements() as HTMLAnchorElement[]
  // What a message carries is saved, never opened.
  expect(links.map(({ href, download }) => [href, download])).toEqual([
    ['data:text/html,<script>', 'a.html'],
    ['https://example.com/a', ''],
  ])
})

test('lets slots render parts and calls, and decide', async () => {
  const part = ask('delete_file', 'c1', { path: 'a.txt' })
  const double = createChatDouble({
    requestState: 'paused',
    messages: [assistant('a1', text('Hello'), part, { type: 'data-weather', data: 20 })],
  })
  await mountChat(double, {
    slots: {
      'part-text': ({ part }: never) => h('p', `Said: ${(part as { text: string }).text}`),
      'part-data-weather': ({ part }: never) =>
        h('p', `${(part as { data: number }).data} degrees`),
      'tool-delete_file': ({ status, approve, deny }: never) => [
        h('b', `own ${status}`),
        h('button', { onClick: approve }, 'Yes'),
        h('button', { onClick: () => (deny as (reason: string) => void)('mine') }, 'No'),
      ],
    },
  })
  await expect.element(page.getByText('Said: Hello')).toBeVisible()
  await expect.element(page.getByText('20 degrees')).toBeVisible()
  await expect.element(page.getByText('own awaiting-approval')).toBeVisible()
  expect(document.querySelectorAll('[data-slot="ask"]')).toHaveLength(0)
  await button('Yes').click()
  double.put(assistant('a1', decided(part, true)))
  await expect.element(page.getByText('own scheduled')).toBeVisible()
  double.put(assistant('a1', part))
  await expect.element(page.getByText('own awaiting-approval')).toBeVisible()
  await button('No').click()
  const payloads = double.calls.map(({ args }) => args[2])
  expect(payloads).toMatchObject([
    { toolCallId: 'c1', messageId: 'a1', outcome: 'yes' },
    { toolCallId: 'c1', messageId: 'a1', outcome: 'no', reason: 'mine' },
  ])
})

test('says nothing of the conversation before in the one that is opened', async () => {
  const [first, second] = [createChatDouble(), createChatDouble()]
  const shown = shallowRef(first)
  await render(defineComponent(() => () => h(AsChat, { chat: shown.value.chat })))
  first.set({ requestState: 'processing', processingState: 'requesting' })
  await expect.poll(announced).toEqual(['The assistant is replying.'])
  shown.value = second
  await expect.poll(announced).toEqual([])
  second.put(assistant('a1', ask('delete_file', 'c1', { path: 'a.txt' }, { risk: 'destroy' })))
  await expect.poll(announced).toEqual(['Needs approval: Delete file a.txt. Cannot be undone.'])
})

test('tells screen readers the boundaries of a turn, and no tokens', async () => {
  const part = ask('delete_file', 'c1', { path: 'a.txt' }, { risk: 'destroy' })
  const double = createChatDouble({ messages: [user('u', 'Delete a.txt')] })
  await mountChat(double)
  double.set({ requestState: 'processing', processingState: 'requesting' })
  await expect.poll(announced).toEqual(['The assistant is replying.'])
  double.put(assistant('a1', text('I will', 'streaming')))
  double.put(assistant('a1', text('I will delete', 'streaming')))
  double.put(assistant('a1', text('I will delete it.'), part))
  double.set({ requestState: 'paused', processingState: undefined })
  await expect.poll(announced).toHaveLength(2)
  expect(announced()[1]).toBe('Needs approval: Delete file a.txt. Cannot be undone.')
  double.put(assistant('a1', text('I will delete it.'), denied(part)))
  double.set({ requestState: 'processing', processingState: 'requesting' })
  await expect.poll(announced).toHaveLength(3)
  double.set({ requestState: 'completed', processingState: undefined })
  await expect
    .poll(() => announced().slice(2))
    .toEqual(['Denied: Delete file a.txt.', 'The reply is complete.'])
  const region = slotElement('announcements')
  expect([region.role, region.getAttribute('aria-live')]).toEqual(['status', 'polite'])
})
