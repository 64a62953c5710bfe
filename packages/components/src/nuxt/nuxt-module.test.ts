import { runWithNuxtContext } from '@nuxt/kit'
import type { Nuxt } from '@nuxt/schema'
import { expect, it } from 'vitest'
import { COMPONENT_NAMES } from '../install/component-names.ts'
import assentModule, { type AssentNuxtOptions } from './index.ts'

type Listener = (value: unknown) => unknown

/** As much of Nuxt as a module is given: its options, and hooks that are called later. */
function createNuxt(options: object = {}) {
  const listeners = new Map<string, Listener[]>()
  const nuxt = {
    _version: '4.6.4',
    options: { css: ['~/own.css'], build: { transpile: [] }, components: {}, ...options },
    hook(name: string, listener: Listener) {
      listeners.set(name, [...(listeners.get(name) ?? []), listener])
    },
    hooks: { addHooks() {} },
    callHook: async (name: string, value: unknown) => {
      for (const listener of listeners.get(name) ?? []) await listener(value)
    },
  }
  return nuxt
}

/** Sets Nuxt up with the module; what its templates and scripts find afterwards. */
async function setUp(inline: Partial<AssentNuxtOptions>, config?: Partial<AssentNuxtOptions>) {
  const nuxt = createNuxt(config && { assent: config })
  const context = nuxt as unknown as Nuxt
  await runWithNuxtContext(context, () => assentModule(inline as AssentNuxtOptions, context))
  const components: { pascalName: string; export: string; filePath: string }[] = []
  const imports: { name: string; from: string }[] = []
  await nuxt.callHook('components:extend', components)
  await nuxt.callHook('imports:extend', imports)
  return { options: nuxt.options, components, imports }
}

it('has templates find every component, by name or prefix', async () => {
  const { components } = await setUp({})
  expect(components.map(({ pascalName }) => pascalName)).toEqual([...COMPONENT_NAMES])
  expect(components.every(({ filePath }) => filePath === '@assent/components')).toBe(true)

  const own = await setUp({}, { prefix: 'Chat' })
  expect(own.components.map(({ pascalName }) => pascalName)).toContain('ChatComposer')
  expect(own.components.map((component) => component.export)).toEqual([...COMPONENT_NAMES])
})

it('has scripts find the composables, unless they are not wanted', async () => {
  const { imports } = await setUp({})
  expect(imports).toContainEqual({ name: 'useMessage', from: '@assent/vue' })
  expect((await setUp({ imports: false })).imports).toEqual([])
})

it('puts the stylesheet before those of the app, unless it is not wanted', async () => {
  expect((await setUp({})).options.css).toEqual(['@assent/components/style.css', '~/own.css'])
  expect((await setUp({ style: false })).options.css).toEqual(['~/own.css'])
})

it('has our packages bundled in one piece', async () => {
  const { options } = await setUp({})
  expect(options.build.transpile).toEqual(['@assent/components', '@assent/vue', '@assent/engine'])
})
