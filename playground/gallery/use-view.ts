import { en, type AssentLocale } from '@assent/components'
import { zhCN } from '@assent/components/locale/zh-CN'
import { zhTW } from '@assent/components/locale/zh-TW'
import { useUrlSearchParams } from '@vueuse/core'
import { computed } from 'vue'

/** What can be chosen, by the parameter of the address; the first is what applies without one. */
export const CHOICES = {
  theme: { label: 'Theme', values: ['auto', 'light', 'dark'] },
  density: { label: 'Density', values: ['auto', 'comfortable', 'compact'] },
  dir: { label: 'Direction', values: ['auto', 'ltr', 'rtl'] },
  locale: { label: 'Language', values: ['auto', 'en', 'zh-CN', 'zh-TW'] },
  width: { label: 'Width', values: ['auto', '320', '360', '768', '1280'] },
} as const

export type Choice = keyof typeof CHOICES

const LOCALES: Readonly<Record<string, AssentLocale>> = { en, 'zh-CN': zhCN, 'zh-TW': zhTW }

/** What is shown and how, as the address says it: `?scene=asks&theme=dark&dir=rtl`. */
export function useView() {
  const params = useUrlSearchParams<Record<string, string>>('history', {
    removeFalsyValues: true,
    writeMode: 'push',
  })

  const chosen = (choice: Choice): string => {
    const given = params[choice]
    const values: readonly string[] = CHOICES[choice].values
    return given !== undefined && values.includes(given) ? given : 'auto'
  }
  const density = computed(() => {
    const given = chosen('density')
    return given === 'compact' || given === 'comfortable' ? given : undefined
  })
  const dir = computed(() => {
    const given = chosen('dir')
    return given === 'rtl' || given === 'ltr' ? given : undefined
  })

  return {
    scene: computed(() => params['scene'] ?? ''),
    /** Nothing around the scene: for pictures and tests. */
    isBare: computed(() => params['bare'] !== undefined),
    chosen,
    choose: (choice: Choice, value: string) => {
      params[choice] = value === 'auto' ? '' : value
    },
    show: (scene: string) => {
      params['scene'] = scene
    },
    /** The address of a scene, as it would be shown now. */
    hrefOf: (scene: string) => `?${String(new URLSearchParams({ ...params, scene }))}`,
    locale: computed(() => LOCALES[chosen('locale')]),
    density,
    dir,
    width: computed(() => Number(chosen('width')) || undefined),
  }
}
