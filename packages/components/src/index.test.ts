import { expect, expectTypeOf, test } from 'vitest'
import { page } from 'vitest/browser'
import { createApp, defineComponent, h, nextTick, reactive, resolveComponent } from 'vue'
import type { Component } from 'vue'
import * as kit from './index.ts'
import { AssentResolver } from './resolver/index.ts'
import { COMPONENT_NAMES } from './install/component-names.ts'
import type { AssentGlobalComponents } from './install/global-components.ts'
import { AssentComponents, type AssentComponentsOptions } from './install/index.ts'

/** What the package exports under the name of a component. */
const exported = Object.keys(kit).filter(
  (name) => /^As[A-Z]/.test(name) && !name.startsWith('Assent'),
)

function mountApp(
  options: AssentComponentsOptions | undefined,
  name: string,
  props: object = {},
): { unmount: () => void; has: (name: string) => boolean } {
  const root = document.body.appendChild(document.createElement('div'))
  const Page: Component = defineComponent(() => () => h(resolveComponent(name), props))
  const app = createApp(Page).use(AssentComponents, options)
  app.mount(root)
  return {
    unmount() {
      app.unmount()
      root.remove()
    },
    has: (other) => app.component(other) !== undefined,
  }
}

const sources: Record<string, string> = import.meta.glob('./**/*.vue', {
  query: '?raw',
  import: 'default',
  eager: true,
})

test('every component with the styles of the kit takes on the look that is configured', () => {
  const roots = Object.entries(sources).filter(([, source]) => source.includes('class="as-root'))
  expect(roots.length).toBeGreaterThan(5)
  const without = roots.filter(([, source]) => !source.includes('v-bind="look"'))
  expect(without.map(([file]) => file)).toEqual([])
})

test('registers every component that the package exports', () => {
  expect(COMPONENT_NAMES).toEqual(exported.toSorted())
  const app = mountApp(undefined, 'AsComposer')
  expect(exported.filter((name) => !app.has(name))).toEqual([])
  app.unmount()
})

test('registers them under another prefix, and under no other name', async () => {
  const app = mountApp({ prefix: 'Chat' }, 'ChatComposer')
  await expect.element(page.getByRole('textbox', { name: 'Message' })).toBeVisible()
  expect(app.has('AsComposer')).toBe(false)
  app.unmount()
})

test('sets words for the whole app, and follows reactive options', async () => {
  const options = reactive<AssentComponentsOptions>({ words: { composerLabel: 'Say something' } })
  const app = mountApp(options, 'AsComposer')
  await expect.element(page.getByRole('textbox', { name: 'Say something' })).toBeVisible()
  options.words = { composerLabel: 'Say more' }
  await nextTick()
  await expect.element(page.getByRole('textbox', { name: 'Say more' })).toBeVisible()
  app.unmount()
})

test('the types of registered components follow the prefix', () => {
  expectTypeOf<AssentGlobalComponents['AsChat']>().toEqualTypeOf<typeof kit.AsChat>()
  expectTypeOf<AssentGlobalComponents<'Chat'>['ChatComposer']>().toEqualTypeOf<
    typeof kit.AsComposer
  >()
  expectTypeOf<keyof AssentGlobalComponents<'Chat'>>().toExtend<`Chat${string}`>()
})

test('the resolver finds each component under its prefix, and nothing else', () => {
  const { type, resolve } = AssentResolver({ prefix: 'Chat', style: false })
  expect(type).toBe('component')
  expect(exported.map((name) => resolve(`Chat${name.slice(2)}`))).toEqual(
    exported.map((name) => ({ name, from: '@assent/components' })),
  )
  expect(resolve('AsChat')).toBeUndefined()
  expect(resolve('ChatWindow')).toBeUndefined()
})

test('the resolver brings the stylesheet with a component', () => {
  expect(AssentResolver().resolve('AsChat')).toEqual({
    name: 'AsChat',
    from: '@assent/components',
    sideEffects: '@assent/components/style.css',
  })
})
