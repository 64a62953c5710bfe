import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { render } from 'vitest-browser-vue'
import { defineComponent, h, nextTick, reactive, type VNode } from 'vue'
import { paused } from '../../test/asks.ts'
import { ask } from '../../test/fixtures.ts'
import { mountChat } from '../../test/mount.ts'
import { AsBubble } from '../bubble/index.ts'
import { AsComposer } from '../composer/index.ts'
import { AsMarkdown } from '../markdown/index.ts'
import { AsToolCall } from '../tool-call/index.ts'
import { AsConfigProvider, useConfig, type AsConfigProviderProps } from './index.ts'

const part = ask('delete_file', 'c1', { path: 'a.txt' }, { risk: 'destroy' })

function below(config: AsConfigProviderProps, ...children: VNode[]): VNode {
  return h(AsConfigProvider, config, { default: () => children })
}

function attribute(name: string, selector = '.as-composer'): string | null | undefined {
  return document.querySelector(selector)?.getAttribute(name)
}

test('everything works without a provider', async () => {
  await render(AsToolCall, { props: { part } })
  await expect.element(page.getByRole('button', { name: 'Deny', exact: true })).toBeVisible()
  expect(attribute('data-theme', '.as-tool')).toBeNull()
  expect(attribute('lang', '.as-tool')).toBeNull()
})

test('replaces some words and leaves the others, also inside of a section', async () => {
  const words = { deny: 'Rather not', risk: { destroy: 'Gone for good' }, denyReasons: ['Because'] }
  await mountChat(paused(part), { config: { words } })
  await expect.element(page.getByText('Gone for good').first()).toBeVisible()
  await expect.element(page.getByText('1 of 1')).not.toBeInTheDocument()
  await page.getByRole('button', { name: 'Rather not', exact: true }).click()
  await expect.element(page.getByRole('button', { name: 'Because' })).toBeVisible()
  await expect.element(page.getByText('Something else…')).toBeVisible()
})

test('a provider adds to the one above it', async () => {
  const Show = defineComponent(() => {
    const config = useConfig()
    return () => {
      const { locale, tools, icons, shortcuts, density } = config.value
      const shown = [
        locale.deny,
        locale.approve,
        [...tools.keys()],
        Object.keys(icons),
        shortcuts,
        density,
      ]
      return h('output', JSON.stringify(shown))
    }
  })
  const Icon = (): string => ''
  const outer = {
    words: { deny: 'No' },
    tools: { one: {} },
    icons: { check: Icon },
    shortcuts: false,
    density: 'compact',
  } as const
  const inner = { words: { approve: 'Yes' }, tools: { two: {} }, icons: { cross: Icon } }
  await render(() => below(outer, below(inner, h(Show))))
  expect(JSON.parse(document.querySelector('output')?.textContent ?? '')).toEqual([
    'No',
    'Yes',
    ['one', 'two'],
    ['check', 'cross'],
    false,
    'compact',
  ])
})

test('replaces an icon wherever it is used, hidden from screen readers', async () => {
  const Stamp = defineComponent(() => () => h('b', { 'data-stamp': '' }))
  await render(() => below({ icons: { arrowUp: Stamp } }, h(AsComposer)))
  const icon = document.querySelector('.as-composer [data-stamp]')
  expect(icon?.className).toBe('as-icon')
  expect(icon?.getAttribute('aria-hidden')).toBe('true')
})

test('says theme, density, direction and language once, on the outermost element', async () => {
  const config = reactive<AsConfigProviderProps>({ theme: 'dark', density: 'compact', dir: 'rtl' })
  const message = { id: 'a1', role: 'assistant', parts: [part] } as const
  await render(() => below(config, h(AsBubble, { message: { ...message, parts: [part] } })))
  expect(attribute('data-theme', '.as-bubble')).toBe('dark')
  expect(attribute('data-as-density', '.as-bubble')).toBe('compact')
  expect(attribute('dir', '.as-bubble')).toBe('rtl')
  expect(attribute('data-theme', '.as-tool')).toBeNull()
  expect(attribute('dir', '.as-tool')).toBeNull()
  config.theme = 'light'
  await nextTick()
  expect(attribute('data-theme', '.as-bubble')).toBe('light')
})

test('a provider inside of a component with another look says so again', async () => {
  const Tool = () => below({ theme: 'auto', density: 'comfortable' }, h(AsComposer))
  const message = { id: 'a1', role: 'assistant', parts: [part] } as const
  await render(() =>
    below(
      { theme: 'dark', density: 'compact' },
      h(AsBubble, { message: { ...message, parts: [part] } }, { 'tool-delete_file': Tool }),
    ),
  )
  expect(attribute('data-theme')).toBe('auto')
  expect(attribute('data-as-density')).toBe('comfortable')
})

test('what the app says on a component itself is stronger', async () => {
  await render(() => below({ dir: 'rtl' }, h(AsComposer, { dir: 'ltr' })))
  expect(attribute('dir')).toBe('ltr')
})

test.each([
  ['AsComposer', () => h(AsComposer)],
  ['AsMarkdown', () => h(AsMarkdown, { text: 'Text' })],
  ['AsToolCall', () => h(AsToolCall, { part })],
])('%s has the styles of the kit where it stands alone', async (_, make) => {
  const { container } = await render(make)
  expect(container.firstElementChild?.classList).toContain('as-root')
})
