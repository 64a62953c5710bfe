// A user's build configuration; compiled against the published package, never run.
import { zhCN } from '@assent/components/locale/zh-CN'
import { zhTW } from '@assent/components/locale/zh-TW'
import nuxtModule from '@assent/components/nuxt'
import { AssentResolver } from '@assent/components/resolver'
import { AssentComponents, withWords, type AssentLocale } from '@assent/components'
import { createApp } from 'vue'

export const resolver = AssentResolver({ prefix: 'Chat' })
export const found: string | undefined = resolver.resolve('ChatComposer')?.from
export const modules = [[nuxtModule, { prefix: 'Chat' }]]

export const traditional: AssentLocale = withWords(zhTW, { risk: { read: '唯讀' } })
export const app = createApp({}).use(AssentComponents, {
  prefix: 'Chat',
  locale: zhCN,
  theme: 'dark',
  density: 'compact',
  words: { deny: '不要' },
})

// @ts-expect-error -- there is no such word
createApp({}).use(AssentComponents, { words: { risk: { reads: '' } } })
