import { auditLog } from '../src/audit/sqlite-audit.ts'
import { openDatabase } from '../src/sqlite/open-database.ts'
import { sqliteStorage } from '../src/sqlite/sqlite-storage.ts'

// Writes as much as it can until it is killed, and says what it has written: a line for each thing.

const [path = '', name = ''] = process.argv.slice(2)
const database = openDatabase(path)
const audit = auditLog(database)
const storage = sqliteStorage(database)

for (let round = 0; ; round++) {
  const call = { conversationId: name, toolCallId: `${round}`, toolName: 'write' }
  for (const phase of ['queued', 'running', 'done'] as const) {
    await audit.recordCall({ ...call, phase, input: { round }, output: 'x'.repeat(round % 5_000) })
    process.stdout.write(`call ${round} ${phase}\n`)
  }
  await audit.recordTask({ taskId: `${name} ${round}`, phase: 'done', message: 'Done.' })
  process.stdout.write(`task ${round} done\n`)
  const put = new Map([
    ['one', round],
    ['other', round],
  ])
  await storage.write(name, { put }, { durability: round % 2 === 0 ? 'strict' : 'relaxed' })
  process.stdout.write(`write ${round} done\n`)
}
