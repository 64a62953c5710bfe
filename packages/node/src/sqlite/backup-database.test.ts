import { closeSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createScratch, type Scratch } from '../../test/scratch.ts'
import { auditLog } from '../audit/sqlite-audit.ts'
import { backupDatabase } from './backup-database.ts'
import { openDatabase, type AssentDatabase, type OpenDatabaseOptions } from './open-database.ts'
import { sqliteStorage } from './sqlite-storage.ts'

let scratch: Scratch
const opened: AssentDatabase[] = []

beforeEach(() => {
  scratch = createScratch()
})

afterEach(() => {
  for (const database of opened.splice(0)) database.close()
  scratch.remove()
})

function open(name: string, options?: OpenDatabaseOptions): AssentDatabase {
  const database = openDatabase(join(scratch.path, name), options)
  opened.push(database)
  return database
}

const task = (message: string) => ({ taskId: 't', phase: 'model', message }) as const

describe('a backup', () => {
  it('is the database at one moment, while another connection writes', async () => {
    const database = open('data.db')
    const other = auditLog(open('data.db'))
    for (let count = 0; count < 200; count++) await other.recordTask(task(`before ${count}`))
    const copying = backupDatabase(database, join(scratch.path, 'copy.db'))
    const noting = Array.from({ length: 50 }, (_, count) => other.recordTask(task(`${count}`)))
    await Promise.all([copying, ...noting])
    const copy = auditLog(open('copy.db', { readOnly: true }))
    const { seq } = await copy.head()
    expect(seq).toBeGreaterThanOrEqual(200)
    expect(await copy.verify()).toMatchObject({ valid: true, entries: seq })
    expect(statSync(join(scratch.path, 'copy.db')).mode & 0o777).toBe(0o600)
  })

  it('takes no file that is there', async () => {
    scratch.write({ 'copy.db': 'mine' })
    const backup = backupDatabase(open('data.db'), join(scratch.path, 'copy.db'))
    await expect(backup).rejects.toMatchObject({ code: 'invalid_argument' })
    expect(readFileSync(join(scratch.path, 'copy.db'), 'utf8')).toBe('mine')
  })
})

describe('a database that is opened read-only', () => {
  it('is read and not written, and is not made', async () => {
    await auditLog(open('data.db')).recordTask(task('kept'))
    const database = open('data.db', { readOnly: true })
    const audit = auditLog(database)
    expect(await audit.query({ text: 'kept' })).toHaveLength(1)
    expect(await audit.verify()).toMatchObject({ valid: true, entries: 1 })
    const refused = { code: 'database_unwritable' }
    await expect(audit.recordTask(task('more'))).rejects.toMatchObject(refused)
    const put = new Map([['a', 1]])
    await expect(sqliteStorage(database).write('n', { put })).rejects.toMatchObject(refused)
    expect(() => open('none.db', { readOnly: true })).toThrow(
      expect.objectContaining({ code: 'database_unreadable' }),
    )
  })

  it('says that it must be brought up to date first', () => {
    const database = open('data.db')
    database.sqlite.exec('PRAGMA user_version = 3')
    expect(() => open('data.db', { readOnly: true })).toThrow(
      expect.objectContaining({ code: 'database_unwritable' }),
    )
  })
})

describe('a damaged file', () => {
  it('is called that, whoever reads it', async () => {
    const database = open('data.db')
    const storage = sqliteStorage(database)
    const text = 'x'.repeat(3_000)
    const put = new Map(Array.from({ length: 200 }, (_, key) => [`key ${key}`, text]))
    await storage.write('n', { put })
    const audit = auditLog(database)
    for (let count = 0; count < 200; count++) await audit.recordTask(task(text))
    database.close()
    const path = join(scratch.path, 'data.db')
    const file = openSync(path, 'r+')
    for (let at = 200 * 4_096; at < statSync(path).size; at += 4_096) {
      writeSync(file, Buffer.alloc(4_096, 0xa5), 0, 4_096, at)
    }
    closeSync(file)
    const damaged = { code: 'database_unreadable', message: expect.stringContaining('damaged') }
    const again = open('data.db', { readOnly: true })
    await expect(auditLog(again).verify()).rejects.toMatchObject(damaged)
    await expect(sqliteStorage(again).read('n')).rejects.toMatchObject(damaged)
    expect(() =>
      again.sqlite.prepare('SELECT sum(length(value)) FROM conversation_records').get(),
    ).toThrow(expect.objectContaining(damaged))
    const backup = backupDatabase(again, join(scratch.path, 'copy.db'))
    await expect(backup).rejects.toMatchObject(damaged)
  })

  it('is called no database when it is none', () => {
    writeFileSync(join(scratch.path, 'data.db'), 'no database at all'.repeat(1_000))
    expect(() => open('data.db')).toThrow(expect.objectContaining({ code: 'database_unreadable' }))
  })
})
