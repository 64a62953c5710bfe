import type { ToolCallPart, ToolPreview } from '@assent/engine'
import {
  array,
  assert,
  asyncProperty,
  boolean,
  constant,
  constantFrom,
  double,
  integer,
  oneof,
  record,
  type Arbitrary,
} from 'fast-check'
import { afterEach, beforeAll, beforeEach, expect, inject, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { cleanup } from 'vitest-browser-vue'
import { frames } from '../../test/approval-chat.ts'
import { commands, paused, settle } from '../../test/asks.ts'
import { ask, decided, executing, text } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'
import { watchCard } from '../../test/watch-card.ts'
import { en } from '../locale/en.ts'
import { zhCN } from '../locale/zh-cn.ts'
import { zhTW } from '../locale/zh-tw.ts'
import { loadMarkdown } from '../markdown/markdown-code.ts'
import { loadForms } from '../tool-call/load-forms.ts'

beforeAll(() => Promise.all([loadMarkdown(), loadForms(), import('../tool-call/preview/index.ts')]))
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
})
afterEach(() => {
  vi.useRealTimers()
  document.documentElement.removeAttribute('style')
})

const SIZES = [
  [320, 480],
  [360, 740],
  [768, 600],
  [800, 900],
  [1_280, 640],
] as const
const LOCALES = { en, 'zh-CN': zhCN, 'zh-TW': zhTW }
const WORDS = ['Rent', '租金', 'notes/2026/rent.md', 'Überweisung', 'دفع', 'x'.repeat(70)]

const lines = (count: number): string =>
  Array.from({ length: count }, (_, line) => `line ${line} of the text`).join('\n')
const evidence = oneof(
  record({ kind: constant('fields' as const), count: integer({ min: 1, max: 40 }) }),
  record({ kind: constant('text' as const), count: integer({ min: 1, max: 400 }) }),
  record({ kind: constant('diff' as const), count: integer({ min: 1, max: 60 }) }),
  record({ kind: constant('command' as const), count: integer({ min: 1, max: 30 }) }),
  record({ kind: constant('table' as const), count: integer({ min: 1, max: 12 }) }),
)
const scenes = record({
  evidence,
  risk: constantFrom('write', 'send', 'destroy'),
  words: array(constantFrom(...WORDS), { minLength: 1, maxLength: 12 }),
  before: integer({ min: 0, max: 30 }),
  others: integer({ min: 0, max: 3 }),
  size: constantFrom(...SIZES),
  zoom: constantFrom(0.8, 1, 1.5),
  font: constantFrom('', 'serif', 'monospace'),
  fontSize: constantFrom(14, 16, 22),
  locale: constantFrom('en', 'zh-CN', 'zh-TW'),
  dir: constantFrom('ltr', 'rtl'),
  hasTray: boolean(),
  /** How a person scrolls before anything is pressed, in parts of what there is. */
  scrolls: array(double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 }),
})
type Scene = typeof scenes extends Arbitrary<infer SCENE> ? SCENE : never

function cardOf({ evidence: { kind, count }, risk, words }: Scene): ToolCallPart {
  const about = { summary: words.join(' '), risk } as const
  const previewed = (preview: ToolPreview): ToolCallPart =>
    ask('change_it', 'c', { path: 'a' }, { ...about, preview })
  const cells = Array.from({ length: count }, (_, column) => `cell ${column}`)
  switch (kind) {
    case 'fields':
      return ask('change_it', 'c', Object.fromEntries(cells.map((name) => [name, name])), about)
    case 'text':
      return ask('change_it', 'c', { text: lines(count) }, about)
    case 'diff':
      return previewed({ kind: 'diff', files: [{ path: 'a.md', after: lines(count) }] })
    case 'command':
      return previewed({ kind: 'command', command: lines(count) })
    case 'table':
      return previewed({ kind: 'table', columns: cells, rows: [cells, cells] })
  }
}

/** Lets what was shown be noted and the buttons be armed. */
async function rest(): Promise<void> {
  await frames(3)
  await vi.advanceTimersByTimeAsync(600)
  await frames(2)
}

async function play(scene: Scene): Promise<void> {
  const { size, zoom, font, fontSize, others, before, locale, dir, hasTray } = scene
  // Smaller screens than that keep a yes from being taken, and may keep it for good.
  const width = Math.max(320, Math.round(size[0] / zoom))
  const height = Math.max(480, Math.round(size[1] / zoom))
  document.documentElement.style.fontSize = `${fontSize}px`
  document.documentElement.style.fontFamily = font
  const double = paused(
    ...(before > 0 ? [text('Before.\n\n'.repeat(before))] : []),
    cardOf(scene),
    ...Array.from({ length: others }, (_, index) =>
      ask('change_it', `o${index}`, { path: `${index}` }, { summary: 'Another', risk: 'write' }),
    ),
  )
  const card = (): Element | null => document.querySelector('.as-chat-column [data-slot="ask"]')
  // From before it is there: nothing that was seen is missed.
  const watch = watchCard(card)
  await mountChat(double, {
    width,
    height,
    config: { locale: LOCALES[locale], dir: dir === 'rtl' ? 'rtl' : 'ltr' },
    props: { tray: hasTray },
  })
  await page.viewport(width, height)
  await expect.poll(card).not.toBeNull()
  await rest()
  const scroller = slotElement('scroller')
  for (const part of scene.scrolls) {
    scroller.dispatchEvent(new WheelEvent('wheel', { deltaY: -1 }))
    scroller.scrollTop = part * (scroller.scrollHeight - scroller.clientHeight)
    await rest()
  }
  // Whoever presses on is shown the rest, and can say yes at last.
  const approve = () => card()!.querySelector<HTMLElement>('[data-slot="approve"]')!
  for (let press = 0; approve().ariaDisabled === 'true' && press < 120; press += 1) {
    // A button is pressed where it is seen.
    approve().scrollIntoView({ block: 'nearest' })
    approve().click()
    await rest()
  }
  // Where the rest is, in case of a failure.
  expect([approve().ariaDisabled, approve().dataset['rest']]).toEqual([null, undefined])
  expect(watch.faults).toEqual([])
  expect(commands(double)).toEqual([])
  card()!.scrollIntoView({ block: 'end' })
  await frames(3)
  watch.takeShift()
  settle(double, 'c', (part) => decided(part, true))
  await frames(3)
  settle(double, 'c', (part) => executing(part))
  await frames(8)
  expect(watch.takeShift()).toBeLessThanOrEqual(0.02)
  expect(watch.faults).toEqual([])
  watch.stop()
}

test('no generated card takes a yes unseen, is covered, or moves when it is decided', async () => {
  const numRuns = inject('ASSENT_DEEP') ? 200 : 12
  await expect(
    assert(
      asyncProperty(scenes, async (scene) => {
        await play(scene).finally(cleanup)
      }),
      { numRuns, endOnFailure: true },
    ),
  ).resolves.toBeUndefined()
})

test('what watches them sees a yes that comes too early, and what lies over a button', async () => {
  await mountChat(paused(ask('change_it', 'c', { path: 'a' }, { summary: 'Change it' })))
  await rest()
  const card = slotElement('ask')
  expect(slotElement('approve').ariaDisabled).toBeNull()
  const cover = document.body.appendChild(document.createElement('div'))
  cover.className = 'cover'
  cover.style.cssText = 'position: fixed; inset: 0; z-index: 9; background: wheat'
  const watch = watchCard(() => card)
  await frames(6)
  watch.stop()
  cover.remove()
  expect(watch.faults).toEqual(
    expect.arrayContaining([
      'armed before the sentence was seen',
      'armed before the end was seen',
      expect.stringContaining('lies below cover'),
    ]),
  )
})
