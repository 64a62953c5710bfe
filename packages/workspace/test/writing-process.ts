// Makes one call of a tool in a workspace, and ends by force, or stops, right before the file that it has written
// takes the place of another one for the n-th time.
import { writeSync } from 'node:fs'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

const [root = '', signal = '', count = '', tool = '', input = ''] = process.argv.slice(2)
const { rename } = fs
let left = Number(count)
fs.rename = async (...paths) => {
  if (--left === 0) {
    writeSync(1, 'here\n')
    process.kill(process.pid, signal)
  }
  return rename(...paths)
}
syncBuiltinESMExports()

const { createWorkspaceTools } = await import('../src/create-workspace-tools.ts')
const { callTool } = await import('./call-tool.ts')
const { tools, dispose } = createWorkspaceTools({ root })
if (tool === 'bash') await callTool(tools.bash, JSON.parse(input))
else await callTool(tools.write, JSON.parse(input))
dispose()
