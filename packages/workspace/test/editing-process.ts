// Edits files of a folder again and again, as one of two servers in one workspace: `count` times it puts a line of
// its own before the last one of each file that it is given. What is refused because of the other one is asked again.
import { createWorkspaceTools } from '../src/create-workspace-tools.ts'
import { WorkspaceRefusal } from '../src/refusal.ts'
import { callTool } from './call-tool.ts'

const [tool = '', root = '', name = '', count = '', ...paths] = process.argv.slice(2)
const { tools, dispose } = createWorkspaceTools({ root })

for (let index = 0; index < Number(count); index++) {
  for (const path of paths) {
    for (let isDone = false; !isDone;) {
      try {
        // Whatever the other one wrote has been seen by then.
        await callTool(tools.read, { path })
        const line = `${name} ${index}`
        if (tool === 'edit') {
          await callTool(tools.edit, { path, oldText: 'end\n', newText: `${line}\nend\n` })
          isDone = true
        } else {
          const command = `sed -i 's/^end$/${line}\\nend/' ${path}`
          const { output } = await callTool(tools.bash, { command })
          if (!output.includes(`[Written: ${path}.]`) && !output.includes('Try again')) {
            throw new Error(output)
          }
          isDone = !output.includes('Try again')
        }
      } catch (error) {
        const isOther = error instanceof WorkspaceRefusal && /^(?:busy|changed)$/.test(error.code)
        if (!isOther) throw error
      }
    }
  }
}
dispose()
