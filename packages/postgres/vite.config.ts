import { isAbsolute } from 'node:path'
import { mergeConfig } from 'vite'
import { libraryBuild, SOURCE_CONDITIONS } from '../../vite.config.ts'

/** What both databases' audits have in common is built in, so that nothing else of that package is installed. */
const AUDIT = '@assent/node/audit'

export default mergeConfig(libraryBuild(import.meta.dirname, { index: 'src/index.ts' }), {
  resolve: { conditions: SOURCE_CONDITIONS },
  build: {
    rolldownOptions: {
      // As for all packages, but for that.
      external: (id: string) =>
        id !== AUDIT && !id.startsWith('.') && !id.startsWith('\0') && !isAbsolute(id),
    },
  },
})
