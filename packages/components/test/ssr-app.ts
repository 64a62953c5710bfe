import { createSSRApp, defineComponent, h, type App } from 'vue'
import { scenes } from './scenes/scenes.ts'
import { AsChat, AsConfigProvider, type AsConfigProviderProps } from '../src/index.ts'
import { zhCN } from '../src/locale/zh-cn.ts'
import { createChatDouble } from './chat-double.ts'
import { everyPart } from './every-part.ts'

const WeatherPart = defineComponent<{ part: { data: { degrees: number } } }>(
  ({ part }) =>
    () =>
      h('p', `${part.data.degrees} degrees`),
  { props: ['part'] },
)

/** Everything that a provider can set. */
const configs = new Map<string, AsConfigProviderProps>([
  ['plain', {}],
  [
    'everything set',
    {
      locale: zhCN,
      words: { emptyTitle: 'Nothing yet' },
      theme: 'dark',
      density: 'compact',
      dir: 'rtl',
      shortcuts: false,
      parts: { 'data-weather': WeatherPart },
      icons: { check: () => h('b', '✓') },
    },
  ],
])

/** The same chat for a server and for the browser that takes it over. */
export function createSsrApp(scene: string, config = 'plain'): App {
  const state =
    scene === 'every part'
      ? { requestState: 'paused' as const, messages: everyPart }
      : scenes.get(scene)
  const { chat } = createChatDouble(state)
  return createSSRApp({
    render: () => h(AsConfigProvider, configs.get(config), { default: () => h(AsChat, { chat }) }),
  })
}
