import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AssentDatabase, auditLog, openDatabase, sqliteLedger } from '@assent/node'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startNode } from '../../node/test/node-process.ts'
import { createScratch, type Scratch } from '../../node/test/scratch.ts'
import { sqliteStores } from './sqlite-stores.ts'
import { erasureConformance, fillErasure as fill, type TestedErasure } from './testing/index.ts'

let scratch: Scratch
let one: AssentDatabase
let other: AssentDatabase

beforeEach(() => {
  scratch = createScratch()
  one = openDatabase(join(scratch.path, 'data.db'))
  other = openDatabase(join(scratch.path, 'data.db'), { busyTimeoutMs: 50 })
})

afterEach(() => {
  one.close()
  other.close()
  scratch.remove()
})

function tested(): TestedErasure {
  return {
    stores: sqliteStores(one),
    other: sqliteStores(other),
    ledger: sqliteLedger(one),
    contents: async () => rawContents(),
  }
}

/** All bytes of the file, of its log and of what else is beside it. */
function rawContents(): string {
  return readdirSync(scratch.path)
    .map((name) => readFileSync(join(scratch.path, name), 'latin1'))
    .join('\n')
}

describe.each([1, 3])('what is erased of a file, on %d connections', (count) => {
  it.each(erasureConformance())('$name', async ({ run }) => {
    const third = count === 1 ? one : openDatabase(join(scratch.path, 'data.db'))
    const made = run(async () => ({
      ...tested(),
      ...(count === 1 && { other: sqliteStores(one) }),
      ledger: sqliteLedger(third),
    }))
    await expect(made).resolves.toBeUndefined()
    if (third !== one) await third.close()
  })
})

describe('what is erased of a file', () => {
  it('is gone once it is erased again, when it was cut off before the audit', async () => {
    const stores = sqliteStores(one)
    await fill(tested(), { conversationId: 'telegram:7:11' }, 'marigold')
    one.sqlite.exec(
      `CREATE TEMP TRIGGER cut BEFORE UPDATE ON main.audit_entries BEGIN SELECT RAISE(ABORT, 'cut off'); END`,
    )
    await expect(stores.erase({ user: 'telegram:11' })).rejects.toThrow('cut off')
    expect(rawContents()).toContain('marigold')
    one.sqlite.exec('DROP TRIGGER cut')
    const erased = await stores.erase({ user: 'telegram:11' })
    expect(erased).toMatchObject({ records: 0, calls: 0, tasks: 0, entries: 3 })
    expect(rawContents()).not.toContain('marigold')
    expect(await stores.audit.verify()).toMatchObject({ valid: true })
  })

  it('is gone once it is erased again, when its process was killed in the middle', async () => {
    const stores = sqliteStores(one)
    await fill(tested(), { conversationId: 'c' }, 'marigold')
    const filling = openDatabase(one.path, { synchronous: 'normal' })
    const audit = auditLog(filling)
    for (let index = 0; index < 600; index++) {
      const call = { conversationId: 'c', toolCallId: `call ${index}`, toolName: 'send' }
      const message = `marigold ${index}`
      await audit.recordRefusal({ ...call, code: 'no', message, subject: 'x' }, call)
    }
    filling.close()
    const erasing = startNode(
      new URL('../test/erasing-process.fixture.ts', import.meta.url).pathname,
      one.path,
    )
    const begun = one.sqlite.prepare(`SELECT 1 FROM audit_entries WHERE kind = 'erasure'`)
    await expect.poll(() => begun.get(), { interval: 1, timeout: 20_000 }).toBeDefined()
    erasing.kill()
    await erasing.ended
    expect(await stores.erase({ conversationId: 'c' })).toMatchObject({ records: 0, tasks: 0 })
    expect(rawContents()).not.toContain('marigold')
    expect(await stores.audit.verify()).toMatchObject({ valid: true })
  })

  it('is told to be in the file still while somebody reads it as it was', async () => {
    await fill(tested(), { conversationId: 'c' }, 'marigold')
    one.sqlite.exec('BEGIN')
    one.sqlite.prepare('SELECT count(*) FROM conversation_records').get()
    const stores = sqliteStores(other)
    await expect(stores.erase({ conversationId: 'c' })).rejects.toMatchObject({
      code: 'database_busy',
      message: expect.stringContaining('Erase once more'),
    })
    one.sqlite.exec('COMMIT')
    expect(await stores.erase({ conversationId: 'c' })).toMatchObject({ records: 0, entries: 0 })
    expect(rawContents()).not.toContain('marigold')
  })
})
