import { computed, inject, provide, type ComputedRef, type InjectionKey } from 'vue'
import { useConfig, type AssentConfig } from './config.ts'

type Look = Pick<AssentConfig, 'theme' | 'density' | 'dir'> & { locale: { code: string } }

const lookKey: InjectionKey<Readonly<{ value: Look }>> = Symbol('assent look')
/** What a page is without a word from the app. */
const page: Look = { theme: 'auto', density: 'comfortable', dir: undefined, locale: { code: 'en' } }

/** What the outermost element of a component says about all that is in it. */
export interface RootAttributes {
  /** Where no other component of the kit is around it. */
  class: 'as-root' | undefined
  'data-theme': string | undefined
  'data-as-density': string | undefined
  dir: string | undefined
  lang: string | undefined
}

/**
 * Theme, density, direction and language for the outermost element of a component, where they differ
 * from those of the component around it: styles and screen readers learn them from there.
 */
export function useRoot(): ComputedRef<RootAttributes> {
  const config = useConfig()
  const outer = inject(lookKey, { value: page })
  provide(lookKey, config)
  return computed(() => {
    const { theme, density, dir, locale } = config.value
    const { value: above } = outer
    return {
      class: above === page ? 'as-root' : undefined,
      'data-theme': theme === above.theme ? undefined : theme,
      'data-as-density': density === above.density ? undefined : density,
      dir: dir === above.dir ? undefined : dir,
      lang: locale.code === above.locale.code ? undefined : locale.code,
    }
  })
}
