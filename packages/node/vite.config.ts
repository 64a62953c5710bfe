import { libraryBuild } from '../../vite.config.ts'

export default libraryBuild(import.meta.dirname, {
  index: 'src/index.ts',
  'audit/index': 'src/audit/index.ts',
  'testing/index': 'src/testing/index.ts',
})
