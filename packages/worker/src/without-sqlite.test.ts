import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

/** What a process has loaded of SQLite once it ran a module, by the names of Node's own modules. */
async function sqliteAfter(code: string): Promise<string[]> {
  const seen =
    'console.log(JSON.stringify(process.moduleLoadList.filter((name) => /sqlite/i.test(name))))'
  const args = ['--conditions=@assent/source', '--input-type=module', '-e', `${code}\n${seen}`]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname })
  return JSON.parse(stdout)
}

it('a worker loads nothing of SQLite before a file is opened', { timeout: 60_000 }, async () => {
  const without = `
    import { createWorker, modelEngine } from '@assent/worker'
    import { createChatHandler } from '@assent/node'
    if (!createWorker || !modelEngine || !createChatHandler) throw new Error('They are not there.')`
  const opened = `
    import { openDatabase } from '@assent/node'
    import { sqliteStores } from '@assent/worker'
    sqliteStores(openDatabase(':memory:'))`
  const [none, some] = await Promise.all([sqliteAfter(without), sqliteAfter(opened)])
  expect(none).toEqual([])
  expect(some).not.toEqual([])
})
