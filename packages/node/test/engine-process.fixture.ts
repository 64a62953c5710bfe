import { appendFileSync } from 'node:fs'
import { createMessageEngine, toolPlugin } from '@assent/engine'
import { answer, callTools, scriptedTransport } from '@assent/engine/testing'
import { auditLog } from '../src/audit/sqlite-audit.ts'
import { auditStorage } from '../src/audit/audit-storage.ts'
import { openDatabase } from '../src/sqlite/open-database.ts'
import { sqliteStorage } from '../src/sqlite/sqlite-storage.ts'

// Leads one conversation after the other until it is killed. Their tools take effect in a file.

const [path = '', effects = '', name = ''] = process.argv.slice(2)
const database = openDatabase(path)
const audit = auditLog(database)

for (let round = 0; ; round++) {
  const id = `${name} ${round}`
  const calls = [1, 2, 3].map((index) => ({
    toolCallId: `${index}`,
    toolName: 'write',
    input: { index },
  }))
  const engine = createMessageEngine({
    id,
    storage: auditStorage(sqliteStorage(database), audit),
    transport: scriptedTransport([callTools(calls), answer('done')]),
    plugins: [
      toolPlugin({
        durable: 'required',
        defaultApproval: 'approved',
        callTool({ toolCallId }) {
          appendFileSync(effects, `${id}/${toolCallId}\n`)
          process.stdout.write(`effect ${id}/${toolCallId}\n`)
          return 'ok'
        },
      }),
    ],
  })
  await engine.sendMessage('go')
  engine.dispose()
  process.stdout.write(`done ${id}\n`)
}
