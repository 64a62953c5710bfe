import type { ObjectPlugin } from 'vue'
import { toValue, type MaybeRefOrGetter } from 'vue'
import { installConfig, type ConfigOverrides } from '../config/config.ts'
import { PREFIX } from './component-names.ts'
import * as components from './components.ts'

/** What `app.use(AssentComponents, …)` takes. */
export interface AssentComponentsOptions extends ConfigOverrides {
  /** What the names of the components begin with in templates. Default `'As'`. */
  prefix?: string
}

/**
 * Registers every component for all templates of an app, and sets what `AsConfigProvider` sets, for
 * the whole app.
 *
 * ```ts
 * app.use(AssentComponents, { prefix: 'Chat', locale: zhCN, theme: 'dark' })
 * ```
 *
 * The options may be reactive, a ref or a getter; all but the prefix follow it.
 */
export const AssentComponents: ObjectPlugin<[options?: MaybeRefOrGetter<AssentComponentsOptions>]> =
  {
    install(app, options = {}) {
      const { prefix = PREFIX } = toValue(options)
      for (const [name, component] of Object.entries(components)) {
        app.component(prefix + name.slice(PREFIX.length), component)
      }
      installConfig(app, () => toValue(options))
    },
  }
