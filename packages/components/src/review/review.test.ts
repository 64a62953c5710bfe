import type { ToolCallPart, ToolPreview } from '@assent/engine'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { button, frames, mountApprovalChat, row } from '../../test/approval-chat.ts'
import { commands, paused, settle } from '../../test/asks.ts'
import { ask, denied, text } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'
import { loadMarkdown } from '../markdown/markdown-code.ts'
import { loadForms } from '../tool-call/load-forms.ts'

beforeAll(() => Promise.all([loadMarkdown(), loadForms()]))

const covers: HTMLElement[] = []
// What a pause of the app waits for comes when a test says so, or in its time.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
})
afterEach(() => {
  vi.useRealTimers()
  for (const cover of covers.splice(0)) cover.remove()
})

const fields = (count: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`field${index}`, `Value ${index}`]),
  )
const write = (id: string, count = 2): ToolCallPart =>
  ask('write_note', id, fields(count), { summary: `Write ${id}`, risk: 'write' })
const remove = (id: string, count = 2): ToolCallPart =>
  ask('delete_files', id, fields(count), { summary: `Delete ${id}`, risk: 'destroy' })
const card = (name: string) =>
  page.getByRole('region', { name: 'Conversation' }).getByRole('group', { name })
const yes = (name: string, verb = 'Write') => card(name).getByRole('button', { name: verb })

/** Something of the app's own that lies over the page. */
function coverWith(style: Partial<CSSStyleDeclaration>): HTMLElement {
  const cover = document.createElement('div')
  Object.assign(cover.style, { position: 'fixed', background: 'wheat', zIndex: '9' }, style)
  covers.push(document.body.appendChild(cover))
  return cover
}

function scrollTo(top: number): void {
  slotElement('scroller').dispatchEvent(new WheelEvent('wheel', { deltaY: -1 }))
  slotElement('scroller').scrollTop = top
}

/** Until what was shown is noted, and the buttons are armed. */
async function rest(): Promise<void> {
  await frames(3)
  await vi.advanceTimersByTimeAsync(600)
  await frames(1)
}

describe('a yes', () => {
  test('is not taken before the evidence was on the screen from beginning to end', async () => {
    const double = paused(write('a', 40))
    await mountChat(double, { height: 500, props: { tray: false } })
    await expect.element(card('Write a').getByRole('button', { name: 'Deny' })).toBeEnabled()
    scrollTo(0)
    await rest()
    await expect.element(yes('Write a')).toBeDisabled()
    await expect.element(yes('Write a')).toHaveAttribute('data-rest', 'below')
    card('Write a')
      .element()
      .dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }))
    expect(commands(double)).toEqual([])
    await expect.element(card('Write a').getByRole('button', { name: 'Deny' })).toBeEnabled()
  })

  test('scrolls on to what was not shown, by click and by key, and is taken after that', async () => {
    const double = paused(text('Before.'), write('a', 60))
    await mountChat(double, { height: 500, props: { tray: false } })
    scrollTo(0)
    await expect.element(yes('Write a')).toHaveAttribute('data-rest', 'below')
    const tops: number[] = []
    while (yes('Write a').element().hasAttribute('data-rest') && tops.length < 20) {
      tops.push(slotElement('scroller').scrollTop)
      if (tops.length % 2) slotElement('approve').click()
      else await userEvent.keyboard('a')
      await frames(4)
    }
    expect(tops.length).toBeGreaterThan(2)
    expect(tops).toEqual(tops.toSorted((a, b) => a - b))
    expect(commands(double)).toEqual([])
    // The last press was to read on.
    slotElement('approve').click()
    expect(commands(double)).toEqual([])
    await yes('Write a').click()
    expect(commands(double)).toHaveLength(1)
  })

  test('is not taken for what the app lies something over', async () => {
    const double = paused(write('a'))
    const cover = coverWith({ inset: '0', blockSize: '100px', blockEnd: 'auto' } as never)
    await mountChat(double, { props: { tray: false } })
    const { top, left } = slotElement('evidence').getBoundingClientRect()
    Object.assign(cover.style, { inset: 'auto', top: `${top}px`, left: `${left + 200}px` })
    Object.assign(cover.style, { inlineSize: '120px', blockSize: '40px' })
    await rest()
    await expect.element(yes('Write a')).toBeDisabled()
    cover.remove()
    await yes('Write a').click()
    expect(commands(double)).toHaveLength(1)
  })

  test('is not taken for another input or preview than the one that was shown', async () => {
    const double = paused(write('a'))
    await mountChat(double, { height: 500, props: { tray: false } })
    await expect.element(yes('Write a')).toBeEnabled()
    settle(double, 'a', (part) => ({ ...part, input: fields(40) }) as ToolCallPart)
    await expect.element(yes('Write a')).toBeDisabled()
    await rest()
    await expect.element(yes('Write a')).toHaveAttribute('data-rest')
  })

  test('waits for a table that goes on at its side', async () => {
    const columns: string[] = Array.from({ length: 12 }, (_, index) => `a long column ${index}`)
    const preview: ToolPreview = { kind: 'table', columns, rows: [columns] }
    const double = paused(
      ask('delete_rows', 'a', {}, { summary: 'Write a', risk: 'write', preview }),
    )
    await mountChat(double, { props: { tray: false } })
    await rest()
    const approve = () => slotElement('approve')
    await expect.poll(() => approve().dataset['rest']).toBe('aside')
    // What points down turns to the side.
    expect(getComputedStyle(slotElement('approve').querySelector('.as-icon')!).rotate).toBe(
      '-90deg',
    )
    for (let press = 0; approve().dataset['rest'] && press < 9; press += 1) {
      approve().click()
      await frames(4)
    }
    await expect.poll(() => approve().getAttribute('aria-disabled')).toBeNull()
    expect(commands(double)).toEqual([])
  })
})

describe('evidence that is folded', () => {
  const lines = (count: number) =>
    Array.from({ length: count }, (_, line) => `line ${line}`).join('\n')
  const long = (risk: 'write' | 'destroy', count: number) =>
    ask('write_note', 'a', { text: lines(count) }, { summary: 'Write a', risk })
  const approve = () => slotElement('approve')
  const label = () => approve().innerText.split('\n')[0]?.trim()

  test('of two screens is read in full before a yes is taken', async () => {
    const double = paused(long('write', 40))
    await mountChat(double, { props: { tray: false } })
    await rest()
    await expect.poll(() => approve().dataset['rest']).toBe('inside')
    approve().click()
    await expect.poll(() => slotElement('evidence').innerText).toContain('line 39')
    for (let press = 0; approve().ariaDisabled === 'true' && press < 9; press += 1) {
      approve().click()
      await rest()
    }
    expect(commands(double)).toEqual([])
    approve().click()
    await expect.poll(() => commands(double)).toHaveLength(1)
  })

  test('of more than that says its size, and takes a second press that names it', async () => {
    const double = paused(long('write', 1_940))
    await mountChat(double, { props: { tray: false } })
    await rest()
    expect(label()).toBe('Write')
    approve().click()
    approve().click()
    await expect.poll(label).toBe('Write without reading 1,940 lines')
    expect(commands(double)).toEqual([])
    await expect.poll(() => approve().ariaDisabled).toBeNull()
    approve().click()
    await expect.poll(() => commands(double)).toHaveLength(1)
  })

  test('has no such press where the act cannot be undone', async () => {
    const double = paused(long('destroy', 1_940))
    await mountChat(double, { props: { tray: false } })
    await rest()
    approve().click()
    await expect.poll(() => slotElement('evidence').innerText).toContain('line 1939')
    await rest()
    expect(approve().innerText).not.toContain('without reading')
    expect(approve().ariaDisabled).toBe('true')
    expect(commands(double)).toEqual([])
  })
})

test('after a denial on a small screen, no button deletes what its foot covers', async () => {
  const double = paused(remove('a'), remove('b', 60))
  double.onCommand(async (payload) => {
    const { toolCallId, reason } = payload as { toolCallId: string; reason?: string }
    settle(double, toolCallId, (part) => denied(part, reason))
    return { success: true, result: undefined }
  })
  await mountChat(double, { width: 360, height: 740 })
  await page.viewport(360, 740)
  scrollTo(0)
  await card('Delete a').getByRole('button', { name: 'Deny' }).click()
  await page.getByRole('button', { name: 'Something else…' }).click()
  await userEvent.keyboard('Not these')
  await page.getByRole('button', { name: 'Deny', exact: true }).first().click()
  await expect.element(card('Delete a').getByText(/Not these/)).toBeVisible()
  await rest()
  const second = slotElement('ask', 1)
  const foot = second.querySelector('.as-ask-foot')!.getBoundingClientRect()
  const head = second.querySelector('.as-ask-head')!.getBoundingClientRect()
  const evidence = second.querySelector('[data-slot="evidence"]')!.getBoundingClientRect()
  expect(foot.top).toBeGreaterThan(head.bottom)
  expect(foot.top - evidence.top).toBeGreaterThan(40)
  // The rest of it was never on the screen.
  expect(second.querySelector('[data-slot="approve"]')).toHaveProperty('dataset.rest', 'below')
})

test.each([
  ['1280 × 640', 1_280, 640],
  ['800 × 900', 800, 900],
])('the form of an always covers no head at %s', async (_, width, height) => {
  const double = paused(text('Before.\n\n'.repeat(12)), write('a', 3))
  await mountChat(double, { width, height, props: { tray: false } })
  await page.viewport(width, height)
  await card('Write a').getByRole('button', { name: 'Always…' }).click()
  await expect.element(page.getByRole('button', { name: 'Always allow' })).toBeVisible()
  for (let top = slotElement('scroller').scrollTop; top >= 0; top -= 60) {
    scrollTo(top)
    await frames(1)
    const foot = document.querySelector('.as-ask-foot')!.getBoundingClientRect()
    const head = document.querySelector('.as-ask-head')!.getBoundingClientRect()
    expect(foot.top).toBeGreaterThan(head.bottom)
  }
})

test('the way to the end lies over no card, and nothing moves when it comes and goes', async () => {
  const double = paused(...Array.from({ length: 6 }, (_, index) => write(`n${index}`)))
  await mountChat(double, { props: { tray: false } })
  const jump = () => document.querySelector('[data-slot="jump"]')
  const tops = () =>
    [...document.querySelectorAll('[data-slot="ask"]')].map(
      (one) => one.getBoundingClientRect().top,
    )
  await frames(4)
  // Whoever follows is held by the first card: there is nothing new to jump to.
  expect(jump()).toBeNull()
  scrollTo(slotElement('scroller').scrollHeight)
  await frames(2)
  const end = slotElement('scroller').scrollTop
  scrollTo(end - 30)
  await expect.poll(jump).not.toBeNull()
  const before = tops()
  const { top } = jump()!.getBoundingClientRect()
  expect(top).toBeGreaterThanOrEqual(slotElement('scroller').getBoundingClientRect().bottom)
  slotElement('scroller').scrollTop = end
  await expect.poll(jump).toBeNull()
  await frames(2)
  expect(slotElement('scroller').scrollTop).toBeCloseTo(end, 0)
  for (const [index, one] of tops().entries()) expect(one + 30).toBeCloseTo(before[index] ?? 0, -1)
})

test.each(['follow', 'anchor-turn', 'off'])(
  'no form of a card lies behind the way to the end (scroll: %s)',
  async (scroll) => {
    const double = paused(text('Before.\n\n'.repeat(60)), write('a', 3))
    await mountChat(double, { width: 360, height: 740, props: { tray: false, scroll } })
    await page.viewport(360, 740)
    const bottom = slotElement('scroller').scrollHeight
    for (const top of [bottom, bottom - slotElement('scroller').clientHeight - 60]) {
      scrollTo(top)
      await card('Write a').getByRole('button', { name: 'Deny' }).click()
      // The second time it is open as it was left.
      if (top === bottom) await page.getByRole('button', { name: 'Something else…' }).click()
      await expect
        .element(page.getByRole('textbox', { name: /should the assistant/ }))
        .toHaveFocus()
      await frames(4)
      const form = slotElement('deny-form').getBoundingClientRect()
      const jump = document.querySelector('[data-slot="jump"]')?.getBoundingClientRect()
      expect(form.bottom).toBeLessThanOrEqual(jump?.top ?? innerHeight)
      expect(form.bottom).toBeLessThanOrEqual(slotElement('dock').getBoundingClientRect().top + 1)
      await userEvent.keyboard('{Escape}')
      await expect.poll(() => document.querySelector('[data-slot="deny-form"]')).toBeNull()
    }
  },
)

test('a card that was read is read in the tray as well, and a row for its card', async () => {
  await mountApprovalChat(['write:a', 'write:b', 'write:c', 'write:d', 'write:e'], { height: 460 })
  scrollTo(0)
  const rowYes = (name: string) => row(name).getByRole('button', { name: 'Write' })
  await expect.element(yes('Write a')).toBeEnabled()
  // Those at the end were in view at first, those at the beginning are now.
  const middle = () => slotElement('ask', 2).querySelector('[data-slot="approve"]')
  expect(middle()?.ariaDisabled).toBe('true')
  await button('Review').click()
  await expect.element(rowYes('Write a')).toBeEnabled()
  await expect.element(rowYes('Write c')).toBeDisabled()
  await userEvent.keyboard('{ArrowDown}{ArrowDown}')
  await expect.element(rowYes('Write c')).toBeEnabled()
  await expect.poll(() => middle()?.ariaDisabled).toBe(null)
})
