import { libraryBuild } from '../../vite.config.ts'

export default libraryBuild(import.meta.dirname, {
  index: 'src/index.ts',
  'ai-sdk/index': 'src/ai-sdk/index.ts',
  conversations: 'src/conversations.ts',
  'stores/index': 'src/stores/index.ts',
})
