import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fillDisk, LONG } from '../../test/full-disk.ts'
import { MIGRATIONS } from './migrations.ts'
import { openDatabase, openWith, type AssentDatabase } from './open-database.ts'

let folder = ''
const opened: AssentDatabase[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assent-'))
})

afterEach(() => {
  for (const database of opened.splice(0)) database.close()
  rmSync(folder, { recursive: true })
})

function open(...args: Parameters<typeof openDatabase>): AssentDatabase {
  const database = openDatabase(...args)
  opened.push(database)
  return database
}

const file = () => join(folder, 'data.db')
const valueOf = (database: AssentDatabase, sql: string) =>
  Object.values(database.sqlite.prepare(sql).get() ?? {})[0]
const put = (database: AssentDatabase, key: string) =>
  database.sqlite.prepare("INSERT INTO conversation_records VALUES ('n', ?, '1')").run(key)
const keys = (database: AssentDatabase) =>
  database.sqlite
    .prepare('SELECT key FROM conversation_records ORDER BY key')
    .all()
    .map(({ key }) => key)

describe('openDatabase', () => {
  it('makes a file that only its owner may read, with a log beside it', () => {
    const database = open(file())
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(statSync(`${file()}-wal`).mode & 0o777).toBe(0o600)
    expect(valueOf(database, 'PRAGMA journal_mode')).toBe('wal')
    expect(valueOf(database, 'PRAGMA synchronous')).toBe(2)
    expect(valueOf(database, 'PRAGMA foreign_keys')).toBe(1)
    expect(valueOf(database, 'PRAGMA busy_timeout')).toBe(25)
    expect(valueOf(open(file(), { synchronous: 'normal' }), 'PRAGMA synchronous')).toBe(1)
  })

  it('finds what was written, also from another connection', () => {
    const one = open(file())
    put(one, 'a')
    expect(keys(open(file()))).toEqual(['a'])
    one.close()
    expect(keys(open(file()))).toEqual(['a'])
  })

  it('opens one that is in no file', () => {
    put(open(':memory:'), 'a')
    expect(keys(open(':memory:'))).toEqual([])
  })

  it('takes no path for an address', () => {
    const cwd = process.cwd()
    process.chdir(folder)
    try {
      expect(open('file:x?mode=memory').path).toBe(join(folder, 'file:x?mode=memory'))
    } finally {
      process.chdir(cwd)
    }
    expect(statSync(join(folder, 'file:x?mode=memory')).size).toBeGreaterThanOrEqual(0)
  })

  it('brings older tables up to date, and leaves what they hold', () => {
    const old = openWith(file(), {}, MIGRATIONS.slice(0, 1))
    put(old, 'a')
    old.close()
    const database = open(file())
    expect(valueOf(database, 'PRAGMA user_version')).toBe(MIGRATIONS.length)
    expect(keys(database)).toEqual(['a'])
  })

  it('undoes a migration that fails, as a whole', () => {
    open(file()).close()
    const failing = [
      ...MIGRATIONS,
      'CREATE TABLE added (a) STRICT',
      'CREATE TABLE bad (a TEXT) STRICT',
    ]
    expect(() => openWith(file(), {}, [...failing, 'nonsense'])).toThrow(/unknown datatype|missing/)
    const database = open(file())
    expect(valueOf(database, 'PRAGMA user_version')).toBe(MIGRATIONS.length)
    expect(
      valueOf(database, "SELECT count(*) FROM sqlite_schema WHERE name IN ('added', 'bad')"),
    ).toBe(0)
  })

  it('refuses a file of a newer version, and changes nothing in it', () => {
    const later = 'CREATE TABLE later (a TEXT) STRICT; UPDATE assent_schema SET oldest = 1000'
    openWith(file(), {}, [...MIGRATIONS, later]).close()
    expect(() => openDatabase(file())).toThrow(
      expect.objectContaining({
        code: 'database_newer',
        message: expect.stringContaining('update @assent/node'),
      }),
    )
  })

  it('refuses what is no database, one of something else, and a folder that is not there', () => {
    const text = join(folder, 'text')
    writeFileSync(text, 'not a database at all, whatever its name is')
    const foreign = join(folder, 'foreign.db')
    const other = new DatabaseSync(foreign)
    other.exec('CREATE TABLE theirs (a)')
    other.close()
    const cases = [
      [text, 'database_unreadable'],
      [foreign, 'database_foreign'],
      [join(folder, 'none', 'data.db'), 'database_unreadable'],
      [folder, 'database_unreadable'],
      ['', 'invalid_argument'],
      ['a\0b', 'invalid_argument'],
    ] as const
    for (const [path, code] of cases) {
      expect(() => openDatabase(path)).toThrow(expect.objectContaining({ code }))
    }
    const after = new DatabaseSync(foreign)
    expect(after.prepare('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'delete' })
    after.close()
  })
})

describe('what is said of a file', () => {
  it('is that it may not be written when it may only be read', () => {
    open(file()).close()
    chmodSync(folder, 0o755)
    chmodSync(file(), 0o444)
    const code = `import { openDatabase } from ${JSON.stringify(join(import.meta.dirname, 'open-database.ts'))}
      try { openDatabase(process.argv[1]) } catch ({ code, message }) { console.log(code, message) }`
    const args = ['--conditions=@assent/source', '--input-type=module', '-e', code, file()]
    const { stdout } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      // Root may write everything.
      ...(process.getuid?.() === 0 && { uid: 65_534, gid: 65_534 }),
    })
    expect(stdout.trim()).toBe(
      `database_unwritable ${file()} may not be written; look at its permissions.`,
    )
  })

  it('is its name alone once it is open, as people and models may read it', async () => {
    const database = open(file())
    const free = fillDisk(database)
    const write = () => database.transaction(() => put(database, LONG))
    await expect(write()).rejects.toMatchObject({
      code: 'database_unwritable',
      message: 'There is no room left on the disk of data.db.',
    })
    free()
    await write()
    database.close()
    await expect(write()).rejects.toThrow(/^data\.db was closed; open it again\.$/)
  })
})

describe('a transaction', () => {
  it('is there as a whole or not at all', async () => {
    const database = open(file())
    const failing = database.transaction(() => {
      put(database, 'a')
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(keys(database)).toEqual([])
    const whole = database.transaction(() => {
      put(database, 'b')
      return 'result'
    })
    // At once, as nobody else writes.
    expect(keys(database)).toEqual(['b'])
    expect(await whole).toBe('result')
  })

  it('inside another one is a part of that', async () => {
    const database = open(file())
    const failing = () =>
      database.transaction(() => {
        put(database, 'undone')
        throw new Error('part')
      })
    const parts: Promise<unknown>[] = []
    await database.transaction(() => {
      put(database, 'a')
      parts.push(failing())
      expect(keys(database)).toEqual(['a'])
      parts.push(database.transaction(() => put(database, 'b')))
    })
    expect(await Promise.allSettled(parts.splice(0))).toMatchObject([
      { status: 'rejected', reason: new Error('part') },
      { status: 'fulfilled' },
    ])
    expect(keys(database)).toEqual(['a', 'b'])
    const undone = database.transaction(() => {
      parts.push(database.transaction(() => put(database, 'c')))
      throw new Error('whole')
    })
    await expect(undone).rejects.toThrow('whole')
    await Promise.all(parts)
    expect(keys(database)).toEqual(['a', 'b'])
  })

  it('must not be asynchronous', async () => {
    const database = open(file())
    const given = database.transaction(async () => {
      put(database, 'a')
    })
    await expect(given).rejects.toMatchObject({ code: 'invalid_argument' })
    expect(keys(database)).toEqual([])
  })

  it('says when another one keeps the right to write for too long', async () => {
    const one = open(file())
    const other = open(file(), { busyTimeoutMs: 1 })
    one.sqlite.exec('BEGIN IMMEDIATE')
    put(one, 'a')
    await expect(other.transaction(() => undefined)).rejects.toMatchObject({
      code: 'database_busy',
    })
    expect(keys(other)).toEqual([])
    one.sqlite.exec('COMMIT')
    await other.transaction(() => put(other, 'b'))
    expect(keys(one)).toEqual(['a', 'b'])
  })

  it('waits for another one, and holds up nothing meanwhile', async () => {
    const [one, other] = [open(file()), open(file())]
    one.sqlite.exec('BEGIN IMMEDIATE')
    const done: string[] = []
    const writing = other.transaction(() => put(other, 'a')).then(() => done.push('written'))
    for (let turn = 0; turn < 100; turn++) await setImmediate()
    done.push('read', ...keys(other).map(String))
    one.sqlite.exec('COMMIT')
    await writing
    expect(done).toEqual(['read', 'written'])
  })

  it('that waits goes before those that were asked for later', async () => {
    const [one, other] = [open(file()), open(file())]
    one.sqlite.exec('BEGIN IMMEDIATE')
    const order: number[] = []
    const ask = (number: number) => other.transaction(() => order.push(number))
    const asked = [ask(1), ask(2)]
    one.sqlite.exec('COMMIT')
    asked.push(ask(3))
    await Promise.all(asked)
    expect(order).toEqual([1, 2, 3])
  })

  it('that waited lets others have a turn before the next one', async () => {
    const [one, other] = [open(file()), open(file())]
    one.sqlite.exec('BEGIN IMMEDIATE')
    const seen: string[] = []
    const asked = Array.from({ length: 5 }, async () => {
      await other.transaction(() => seen.push('write'))
    })
    one.sqlite.exec('COMMIT')
    const turning = (async () => {
      while (seen.filter((one) => one === 'write').length < 5) {
        await setImmediate()
        seen.push('turn')
      }
    })()
    await Promise.all([...asked, turning])
    expect(seen.join(' ')).not.toContain('write write')
  })

  it('that waits is refused once the database is closed', async () => {
    const [one, other] = [open(file()), open(file())]
    one.sqlite.exec('BEGIN IMMEDIATE')
    const waiting = other.transaction(() => put(other, 'a'))
    other.close()
    one.sqlite.exec('COMMIT')
    await expect(waiting).rejects.toMatchObject({ code: 'database_closed' })
    expect(keys(one)).toEqual([])
  })

  it('leaves how statements wait, and what is on disk, as it was', async () => {
    const [one, other] = [open(file()), open(file(), { busyTimeoutMs: 1 })]
    const settings = () => [
      valueOf(other, 'PRAGMA busy_timeout'),
      valueOf(other, 'PRAGMA synchronous'),
    ]
    const before = settings()
    await other.transaction(() => put(other, 'a'), { durability: 'relaxed' })
    expect(settings()).toEqual(before)
    one.sqlite.exec('BEGIN IMMEDIATE')
    await expect(other.transaction(() => 1, { durability: 'relaxed' })).rejects.toThrow('data.db')
    one.sqlite.exec('COMMIT')
    expect(settings()).toEqual(before)
  })

  it('is refused once the database is closed, which its signal tells', async () => {
    const database = open(file())
    expect(database.closed.aborted).toBe(false)
    database.close()
    database.close()
    expect(database.closed.aborted).toBe(true)
    await expect(database.transaction(() => 1)).rejects.toMatchObject({ code: 'database_closed' })
  })
})
