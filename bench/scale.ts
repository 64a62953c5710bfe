// What many users, tasks, entries and processes cost, one after the other in one run: `pnpm bench:scale`. It takes some
// 20 minutes; `ASSENT_ENTRIES` is how many entries the audits have.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const ENTRIES = process.env['ASSENT_ENTRIES'] ?? '1000000'
const PARTS: readonly (readonly string[])[] = [
  ['two-servers.ts'],
  ['many-tasks.ts'],
  ['locked-database.ts'],
  ['audit-at-scale.ts', ENTRIES],
]

for (const [file = '', ...args] of PARTS) {
  process.stdout.write(`\n${file}\n`)
  const { status } = spawnSync(
    process.execPath,
    ['--conditions=@assent/source', join(import.meta.dirname, file), ...args],
    { stdio: 'inherit' },
  )
  if (status !== 0) process.exitCode = 1
}
