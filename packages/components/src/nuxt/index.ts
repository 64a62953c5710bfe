import { addComponent, addImports, defineNuxtModule } from '@nuxt/kit'
import type { NuxtModule } from '@nuxt/schema'
import { COMPONENT_NAMES, PREFIX } from '../install/component-names.ts'

/** Options of the module, under the key `assent` of a Nuxt configuration. */
export interface AssentNuxtOptions {
  /** What the names of the components begin with in templates. Default `'As'`. */
  prefix: string
  /** Whether the stylesheet is among those of the app. Default `true`. */
  style: boolean
  /** Whether scripts find `useMessage` and the like without an import. Default `true`. */
  imports: boolean
}

const PACKAGE = '@assent/components'

const COMPOSABLES = ['useMessage', 'useApprovals', 'provideMessage', 'injectMessage']

/**
 * A Nuxt module: templates find the components, scripts the composables, and the stylesheet is there.
 *
 * ```ts
 * export default defineNuxtConfig({ modules: ['@assent/components/nuxt'] })
 * ```
 */
const assentModule: NuxtModule<AssentNuxtOptions, AssentNuxtOptions, false> = defineNuxtModule({
  meta: { name: PACKAGE, configKey: 'assent', compatibility: { nuxt: '>=3.16.0' } },
  defaults: { prefix: PREFIX, style: true, imports: true },
  setup({ prefix, style, imports }, nuxt) {
    // All of ours in one piece: what they hand down to each other is bound to their modules.
    nuxt.options.build.transpile.push(PACKAGE, '@assent/vue', '@assent/engine')
    // Before the app's own, which are to be stronger.
    if (style) nuxt.options.css.unshift(`${PACKAGE}/style.css`)
    for (const name of COMPONENT_NAMES) {
      addComponent({
        name: prefix + name.slice(PREFIX.length),
        export: name,
        filePath: PACKAGE,
      })
    }
    if (imports) addImports(COMPOSABLES.map((name) => ({ name, from: '@assent/vue' })))
  },
})

export default assentModule
