import { libraryBuild } from '../../vite.config.ts'

export default libraryBuild(
  import.meta.dirname,
  {
    index: 'src/index.ts',
    'shell/index': 'src/shell/index.ts',
    // Started as a thread, by its file.
    'shell/simulated/overlay-thread': 'src/shell/simulated/overlay-thread.ts',
  },
  true,
)
