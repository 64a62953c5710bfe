import { answer } from '@assent/engine/testing'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-vue'
import { defineComponent, h } from 'vue'
import { calls, useApprovalChat, type ApprovalChat } from '../../test/approval-chat.ts'
import { AT } from '../../test/fixtures.ts'
import '../style/index.css'
import { AsAuditTrail, type AsAuditTrailProps, type TrailEntry } from './index.ts'

const DAY = 24 * 3_600_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: AT })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

function entry(index: number, facts: Partial<TrailEntry> = {}): TrailEntry {
  return {
    id: `e${index}`,
    at: AT - index * 60_000,
    outcome: 'approved',
    by: 'person',
    conversationId: 'chat',
    call: { messageId: 'a1', step: 1, toolCallId: `c${index}` },
    toolName: 'write_note',
    summary: `Write note ${index}`,
    reason: undefined,
    scope: undefined,
    policyId: undefined,
    policyAt: undefined,
    revokedAt: undefined,
    input: { path: `notes/${index}.md` },
    originalInput: undefined,
    status: 'success',
    error: undefined,
    startedAt: AT,
    endedAt: AT + 80,
    ...facts,
  }
}

const show = (props: AsAuditTrailProps) =>
  render(defineComponent(() => () => h(AsAuditTrail, props)))
const trail = () => page.getByRole('region', { name: 'Decisions' })
const receipt = (name: string | RegExp) => trail().getByRole('button', { name })
const receipts = () => trail().getByRole('button', { expanded: false }).elements()

test('says what there is when nothing was decided', async () => {
  await show({ entries: [] })
  await expect.element(page.getByText('No decisions yet')).toBeVisible()
})

test('has a heading for each day, and a line for each decision', async () => {
  await show({
    entries: [entry(0), entry(1, { at: AT - DAY, by: 'rule' }), entry(2, { at: AT - 3 * DAY })],
  })
  await expect.element(trail().getByRole('heading', { name: 'Today' })).toBeVisible()
  await expect.element(trail().getByRole('heading', { name: 'Yesterday' })).toBeVisible()
  await expect
    .element(trail().getByRole('heading', { name: 'Saturday, May 9, 2026' }))
    .toBeVisible()
  await expect.element(receipt(/^Approved Write note 0 You · Done · 2:02 PM$/)).toBeVisible()
  await expect.element(receipt(/^Approved Write note 1 Rule · Done/)).toBeVisible()
})

test('opens to all that is on record: reason, edit, input and result', async () => {
  await show({
    entries: [
      entry(0, {
        reason: 'Only this once',
        originalInput: { path: 'notes/first.md' },
        status: 'error',
        error: 'EACCES',
      }),
    ],
    nameOf: () => 'Sam',
  })
  await receipt(/Sam · Edited · Failed/).click()
  const detail = () => document.querySelector('[data-slot="audit-detail"]')?.textContent
  await expect.poll(detail).toContain('Only this once')
  expect(detail()).toContain('Failed · 80ms · EACCES')
  await expect.element(trail().getByRole('deletion')).toHaveTextContent('Removed: notes/first.md')
  await expect.element(trail().getByRole('insertion')).toHaveTextContent('Added: notes/0.md')
})

test('is filtered by tool, decision, by whom and words; says how many are left', async () => {
  await show({
    entries: [
      entry(0),
      entry(1, { toolName: 'send_mail', summary: 'Send a mail', outcome: 'denied' }),
      entry(2, { by: 'policy' }),
    ],
  })
  await expect.poll(() => receipts()).toHaveLength(3)
  await trail().getByRole('combobox', { name: 'Tool' }).selectOptions('Send mail')
  await expect.poll(() => receipts()).toHaveLength(1)
  await expect.element(trail().getByText('1 of 3 decisions')).toBeVisible()
  await trail().getByRole('combobox', { name: 'Decided by' }).selectOptions('Standing permission')
  await expect.element(trail().getByText('No matching decisions')).toBeVisible()
  await trail().getByRole('combobox', { name: 'Tool' }).selectOptions('All')
  await trail().getByRole('combobox', { name: 'Decided by' }).selectOptions('All')
  await trail().getByRole('searchbox', { name: 'Search decisions' }).fill('notes/2')
  await expect.poll(() => receipts()).toHaveLength(1)
  await expect.element(receipt(/Write note 2/)).toBeVisible()
})

test('goes through its lines by arrow keys, with one stop for the Tab key', async () => {
  await show({ entries: [entry(0), entry(1, { at: AT - DAY }), entry(2, { at: AT - DAY })] })
  await expect.poll(() => receipts()).toHaveLength(3)
  await trail().getByRole('button', { name: 'Export as JSONL' }).click()
  await userEvent.keyboard('{Tab}')
  await expect.element(receipt(/note 0/)).toHaveFocus()
  await userEvent.keyboard('{ArrowDown}{ArrowDown}{Enter}')
  await expect.element(receipt(/note 2/)).toHaveFocus()
  await expect.element(receipt(/note 2/)).toHaveAttribute('aria-expanded', 'true')
  await userEvent.keyboard('{Home}{Tab}')
  expect(document.activeElement?.closest('[data-slot="audit-trail"]')).toBeNull()
})

test('makes a hundred rows of ten thousand, and more when asked', async () => {
  const entries = Array.from({ length: 10_000 }, (_, index) => entry(index))
  await show({ entries })
  await expect.element(trail().getByText('10000 decisions')).toBeVisible()
  expect(receipts()).toHaveLength(100)
  await trail().getByRole('button', { name: 'Show 100 more' }).click()
  await expect.poll(() => receipts()).toHaveLength(200)
  await trail().getByRole('searchbox').fill('notes/9999')
  await expect.poll(() => receipts()).toHaveLength(1)
})

test('is downloaded as what is listed', async () => {
  const blobs: Blob[] = []
  const links: string[] = []
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    blobs.push(blob as Blob)
    return 'blob:made'
  })
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    links.push(this.download)
  })
  await show({ entries: [entry(0), entry(1, { outcome: 'denied' })], fileName: 'may' })
  await trail().getByRole('combobox', { name: 'Decision' }).selectOptions('Denied')
  await trail().getByRole('button', { name: 'Export as JSONL' }).click()
  await trail().getByRole('button', { name: 'Export as JSON', exact: true }).click()
  expect(links).toEqual(['may.jsonl', 'may.json'])
  expect(blobs.map(({ type }) => type)).toEqual(['application/jsonl', 'application/json'])
  expect(JSON.parse((await blobs[0]?.text()) ?? '')).toMatchObject({ id: 'e1', outcome: 'denied' })
})

test('follows a conversation, and goes to its calls', async () => {
  const made: ApprovalChat[] = []
  const shown: unknown[] = []
  const Page = defineComponent(() => {
    const scene = useApprovalChat([calls('write:a', 'send:b'), answer('Done.')])
    made.push(scene)
    return () => h(AsAuditTrail, { chat: scene.chat, onShowCall: (call) => shown.push(call) })
  })
  await render(Page)
  const [{ chat }] = made as [ApprovalChat]
  await chat.sendMessage('Go')
  await chat.runPluginCommand('tool', 'resumeToolCalls', [
    { toolCallId: 'write:a' },
    { toolCallId: 'send:b', outcome: 'no', reason: 'Not her' },
  ])
  await expect.element(receipt(/^Approved Write a You · Done/)).toBeVisible()
  await receipt(/^Denied Send b You/).click()
  await expect.element(trail().getByText('Not her')).toBeVisible()
  await trail().getByRole('button', { name: 'Show the call' }).click()
  expect(shown).toMatchObject([{ toolCallId: 'send:b', step: 1, conversationId: chat.id.value }])
})
