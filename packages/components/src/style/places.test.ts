import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { render } from 'vitest-browser-vue'
import { h } from 'vue'
import { scenes } from '../../test/scenes/scenes.ts'
import { createChatDouble } from '../../test/chat-double.ts'
import { mountChat } from '../../test/mount.ts'
import { AsConfigProvider, type AsConfigProviderProps } from '../config/index.ts'
import { zhTW } from '../locale/zh-tw.ts'
import { AsMarkdown } from '../markdown/index.ts'

const NARROW = 320
const configs: [string, AsConfigProviderProps][] = [
  ['comfortable', {}],
  ['compact', { density: 'compact' }],
  ['right to left', { dir: 'rtl' }],
  ['Chinese', { locale: zhTW }],
]
const SCENES = ['asks', 'lines', 'text', 'error', 'answer', 'always', 'expired', 'provenance']

/** What sticks out of the chat at a side, but for what scrolls by itself. */
function outside(): string[] {
  const chat = document.querySelector('.as-chat')
  if (!chat) throw new Error('There is no chat.')
  const { left, right } = chat.getBoundingClientRect()
  return [...chat.querySelectorAll<HTMLElement>('*')]
    .filter((element) => !element.closest('pre, .as-markdown-scroll, .as-hidden'))
    .filter((element) => {
      const box = element.getBoundingClientRect()
      return box.width > 0 && (box.left < left - 1 || box.right > right + 1)
    })
    .map((element) => `${element.tagName} ${element.className}`)
}

test.each(
  configs.flatMap(([name, config]) => SCENES.map((scene) => [scene, name, config] as const)),
)('nothing sticks out at 320 pixels: "%s", %s', async (scene, _, config) => {
  await mountChat(createChatDouble(scenes.get(scene)), { config, width: NARROW })
  await expect.element(page.getByRole('textbox').last()).toBeVisible()
  expect(outside()).toEqual([])
  const scroller = document.querySelector('.as-chat-scroller')
  expect(scroller?.scrollWidth).toBe(scroller?.clientWidth)
})

test('buttons have the size of a finger, however little room there is', async () => {
  const config = { density: 'compact' } as const
  await mountChat(createChatDouble(scenes.get('asks')), { config, width: NARROW })
  const small = [...document.querySelectorAll('button')]
    .map((button) => button.getBoundingClientRect())
    .filter(({ width, height }) => width > 0 && Math.min(width, height) < 24)
  expect(small).toEqual([])
})

const direction = (selector: string): string | undefined => {
  const element = document.querySelector(selector)
  return element ? getComputedStyle(element).direction : undefined
}

test('a text reads its own way, whichever way the page runs', async () => {
  const show = (text: string, dir: 'ltr' | 'rtl') =>
    render(() => h(AsConfigProvider, { dir }, { default: () => h(AsMarkdown, { text }) }))

  const english = await show('First.\n\n- One', 'rtl')
  expect(direction('.as-markdown ul')).toBe('ltr')
  await english.unmount()

  await show('مرحبا\n\n- واحد `rm -rf`\n\n```sh\nls\n```', 'ltr')
  expect(direction('.as-markdown ul')).toBe('rtl')
  expect(direction('.as-markdown li code')).toBe('ltr')
  expect(direction('.as-markdown pre')).toBe('ltr')
})
