import { libraryBuild } from '../../vite.config.ts'

export default libraryBuild(import.meta.dirname, {
  index: 'src/index.ts',
  'approvals/audit': 'src/approvals/audit.ts',
  'locale/en': 'src/locale/en.ts',
  'locale/zh-cn': 'src/locale/zh-cn.ts',
  'locale/zh-tw': 'src/locale/zh-tw.ts',
  'resolver/index': 'src/resolver/index.ts',
  'nuxt/index': 'src/nuxt/index.ts',
  'markdown/highlight/index': 'src/markdown/highlight/index.ts',
  'markdown/math/index': 'src/markdown/math/index.ts',
  'markdown/mermaid/index': 'src/markdown/mermaid/index.ts',
  style: 'src/style/index.css',
  unlayered: 'src/style/unlayered.css',
})
