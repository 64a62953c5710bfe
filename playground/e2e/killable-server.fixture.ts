import { previewPlayground } from './playground.ts'

// Serves what was built until it is killed: `<outDir> <port> <database>`.

const [outDir = '', port = '0', database = ''] = process.argv.slice(2)
const { url } = await previewPlayground(
  { outDir, moduleIds: [] },
  { ASSENT_DEMO_SPEED: '200', ASSENT_DATABASE: database },
  Number(port),
)
process.stdout.write(`${url}\n`)
