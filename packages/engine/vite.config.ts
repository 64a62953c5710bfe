import { libraryBuild } from '../../vite.config.ts'

export default libraryBuild(import.meta.dirname, {
  index: 'src/index.ts',
  'error-code': 'src/error-code.ts',
  'redaction/index': 'src/redaction/index.ts',
  'plugins/tools/limits': 'src/plugins/tools/limits.ts',
  'plugins/tools/explain-policy': 'src/plugins/tools/explain-policy.ts',
  'plugins/continuation/index': 'src/plugins/continuation/index.ts',
  'reading/index': 'src/reading/index.ts',
  'remote/index': 'src/remote/index.ts',
  'sharing/index': 'src/sharing/index.ts',
  'storage/index': 'src/storage/index.ts',
  'testing/index': 'src/testing/index.ts',
})
