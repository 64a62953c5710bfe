import type { AsConfigProviderProps } from '../../src/index.ts'
import { zhCN } from '../../src/locale/zh-cn.ts'
import { zhTW } from '../../src/locale/zh-tw.ts'

/** What a provider can make of a scene, by what is added to its name. */
const LOOKS: Readonly<Record<string, AsConfigProviderProps>> = {
  'zh-CN': { locale: zhCN },
  'zh-TW': { locale: zhTW },
  compact: { density: 'compact' },
  rtl: { dir: 'rtl' },
}

/** Some scenes in every language, density and direction: `asks-zh-CN`, `lines-compact`, … */
export function scenesInLooks<SCENE extends object>(
  scenes: ReadonlyMap<string, SCENE>,
  names: readonly string[],
): [name: string, scene: SCENE & { config: AsConfigProviderProps }][] {
  return names.flatMap((name) => {
    const scene = scenes.get(name)
    if (!scene) throw new Error(`There is no scene ${name}.`)
    return Object.entries(LOOKS).map(
      ([look, config]): [string, SCENE & { config: typeof config }] => [
        `${name}-${look}`,
        { ...scene, config },
      ],
    )
  })
}
