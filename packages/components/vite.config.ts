import { isAbsolute, join } from 'node:path'
import { mergeConfig } from 'vite'
import { libraryBuild } from '../../vite.config.ts'
import { markedLexer } from './marked-lexer.ts'

const base = libraryBuild(
  import.meta.dirname,
  {
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
  },
  true,
)

export default mergeConfig(base, {
  plugins: [markedLexer(join(import.meta.dirname, 'src/markdown/marked'))],
  build: {
    rolldownOptions: {
      // As for all packages, but for what is taken out of `marked`.
      external: (id: string) =>
        id !== 'marked' && !id.startsWith('.') && !id.startsWith('\0') && !isAbsolute(id),
    },
  },
})
