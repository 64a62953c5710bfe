import { libraryBuild } from '../../vite.config.ts'

export default libraryBuild(import.meta.dirname, {
  index: 'src/index.ts',
  style: 'src/style/index.css',
})
