import type { ToolCallPart } from '@assent/engine'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { paused, settle } from '../../test/asks.ts'
import { createChatDouble } from '../../test/chat-double.ts'
import { AT, ask, assistant, call, decided, denied, executing } from '../../test/fixtures.ts'
import { succeeded, withMetadata } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'

const question = ask('edit_file', 'c1', { path: 'README.md' }, { summary: 'Fix the title' })

async function show(part: ToolCallPart): Promise<HTMLElement> {
  await mountChat(createChatDouble({ messages: [assistant('a1', part)] }))
  return slotElement('tool-call')
}

/** What a reader sees of a call, in one line. */
const words = (element: HTMLElement): string => element.innerText.replaceAll(/\s+/g, ' ').trim()

test('a call that is being written shows its arguments as they arrive', async () => {
  const element = await show(
    call('write_file', 'c1', {
      state: 'input-streaming',
      input: { path: 'plan.md', text: 'Line one\nLine tw' },
      rawInput: '{"path":"plan.md","text":"Line one'.padEnd(90),
    }),
  )
  expect(element.dataset).toMatchObject({ state: 'preparing', density: 'line' })
  expect(words(element)).toBe('Write file plan.md · Preparing path plan.md text Line one Line tw')
})

test('a call that runs is a line that shows what it has found so far', async () => {
  const part = call('run_tests', 'c1', {
    state: 'output-available',
    input: {},
    output: '412 passed',
    preliminary: true,
  })
  const element = await show(executing(part))
  expect(element.dataset).toMatchObject({ state: 'executing', density: 'line' })
  expect(words(element)).toContain('412 passed')
})

test('a call that is done is a line that opens to input and output', async () => {
  const element = await show(succeeded(decided(question, true), 'Saved', 80))
  expect(element.dataset).toMatchObject({ state: 'success', density: 'line' })
  expect(words(element)).toMatch(/^Fix the title · Done You · \d{1,2}:02.* · 80ms$/)
  const row = page.getByRole('button', { name: /Fix the title/ })
  await expect.element(row).toHaveAttribute('aria-expanded', 'false')
  await row.click()
  await expect.element(row).toHaveAttribute('aria-expanded', 'true')
  await expect.poll(() => words(element)).toMatch(/Input path README\.md Output Saved$/)
})

test('an output that tells of a failure is not shown as done', async () => {
  const run = ask('bash', 'c1', { command: 'ls none' }, { summary: 'Run ls none' })
  const ended = succeeded(decided(run, true), 'No such file.\n[Exit code 2.]', 80)
  await show(withMetadata(ended, { failure: 'Exit code 2' }))
  const element = slotElement('tool-call')
  expect(words(element)).toContain('Run ls none · Exit code 2')
  expect(words(element)).not.toContain('Done')
  expect(element.querySelector('[data-tone]')).toHaveAttribute('data-tone', 'unsure')
})

test('a cut output says how much of it is shown', async () => {
  const cut = { shownLines: 2_000, totalLines: 14_500, shownBytes: 1, totalBytes: 2 }
  await show(withMetadata(succeeded(question, 'a'), { cut }))
  await page.getByRole('button', { name: /Fix the title/ }).click()
  await expect.element(page.getByText('2,000 of 14,500 lines are shown')).toBeVisible()
})

test('a denied call is a line with the reason', async () => {
  expect(words(await show(denied(question, 'Not now')))).toMatch(
    /^Fix the title · Denied: Not now You · /,
  )
})

test('an approved call that has not started says so', async () => {
  const element = await show(decided(question, true))
  expect(element.dataset['state']).toBe('scheduled')
  expect(words(element)).toMatch(/^Fix the title · Approved You/)
})

test('a call that waits for its turn without having asked says so', async () => {
  const part = call('list', 'c1', { state: 'input-available', input: {} }, { scheduledAt: AT })
  expect(words(await show(part))).toBe('List · Queued Cancel')
})

test('a card counts those that wait with it, and none that was cancelled', async () => {
  const double = paused(...['c1', 'c2', 'c3'].map((id) => ask('write_note', id, { id })))
  await mountChat(double, { props: { tray: false } })
  const places = () =>
    [...document.querySelectorAll<HTMLElement>('.as-ask-position')].map((one) =>
      one.checkVisibility({ visibilityProperty: true }) ? one.innerText : '',
    )
  await expect.poll(places).toEqual(['1 of 3', '2 of 3', '3 of 3'])
  const cancelled = (part: ToolCallPart) =>
    call(
      'write_note',
      part.toolCallId,
      { state: 'output-error', input: part.input, errorText: 'Stopped.' },
      { ended: 'cancelled' },
    )
  settle(double, 'c1', cancelled)
  await expect.poll(places).toEqual(['', '1 of 2', '2 of 2'])
  settle(double, 'c2', cancelled)
  await expect.poll(places).toEqual(['', '', ''])
})

test('a cancelled call is a line', async () => {
  const element = await show(
    call(
      'list',
      'c1',
      { state: 'output-error', input: {}, errorText: 'Stopped.' },
      { ended: 'cancelled' },
    ),
  )
  expect(element.dataset['density']).toBe('line')
  expect(words(element)).toBe('List · Cancelled before it ran.')
})

test.each([
  [undefined, 'error', /^Drop table Failed · \d{1,2}:02.* · 12ms EACCES/],
  ['timeout', 'error', /^Drop table Timed out · /],
  ['interrupted', 'interrupted', /^Drop table Interrupted .*Interrupted while running/],
] as const)('a call that ended badly (%s) is a card with the cause', async (ended, state, text) => {
  const assent = { startedAt: AT, endedAt: AT + 12, ...(ended ? { ended } : {}) }
  const element = await show(
    call('drop_table', 'c1', { state: 'output-error', input: {}, errorText: 'EACCES' }, assent),
  )
  expect(element.dataset).toMatchObject({ state, density: 'card' })
  expect(words(element)).toMatch(text)
})

test('hidden characters of an input are labelled and counted', async () => {
  await show(ask('run', 'c1', { command: 'curl exam\u200bple.com # \u202etxt' }))
  await expect.element(page.getByText('2 hidden characters, shown as labels')).toBeVisible()
  const labels = [...slotElement('evidence').querySelectorAll('[data-slot="hidden-character"]')]
  expect(labels.map((label) => label.textContent)).toEqual(['ZWSP', 'RLO'])
  expect(slotElement('evidence').textContent).not.toMatch(/[\u200b\u202e]/)
})

test('evidence is shown whole on demand, however long it is, with the buttons still in reach', async () => {
  const text = Array.from({ length: 400 }, (_, line) => `line ${line}`).join('\n')
  await show(ask('write_file', 'c1', { path: 'a', text }))
  const evidence = slotElement('evidence')
  expect(evidence.innerText).toContain('line 0\n')
  expect(evidence.innerText).not.toContain('line 399')
  await page.getByRole('button', { name: 'Show all 400 lines' }).click()
  await expect.poll(() => evidence.innerText).toContain('line 399')
  expect(evidence.scrollHeight).toBe(evidence.clientHeight)
  slotElement('scroller').dispatchEvent(new WheelEvent('wheel', { deltaY: -1 }))
  slotElement('scroller').scrollTop = 1_000
  await expect.element(page.getByRole('button', { name: 'Write' })).toBeInViewport()
  await expect.element(page.getByRole('button', { name: 'Jump to latest' })).toBeVisible()
  const [buttons, jump] = [slotElement('approve'), slotElement('jump')].map((element) =>
    element.getBoundingClientRect(),
  )
  expect(buttons!.bottom).toBeLessThanOrEqual(jump!.top)
})

test('a call that was cut off and came to its end later says so, with its output', async () => {
  const cut = call('edit_file', 'c1', {
    state: 'output-error',
    input: { path: 'README.md' },
    errorText: 'Interrupted while it ran; it may have taken effect.',
  })
  const late = { output: 'Saved', at: AT }
  const element = await show(withMetadata(cut, { ended: 'interrupted', mayHaveRun: true, late }))
  expect(words(element)).toContain('Interrupted (later: done)')
  expect(words(element)).toContain('It finished later, so it did take effect.')
  await page.getByRole('button', { name: /README/ }).click()
  expect(words(element)).toMatch(/Output that came later Saved$/)
})
