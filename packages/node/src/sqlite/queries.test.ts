import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createScratch, type Scratch } from '../../test/scratch.ts'
import { openDatabase, type AssentDatabase } from './open-database.ts'
import { createQueryThread } from './query-thread.ts'

let scratch: Scratch
const opened: AssentDatabase[] = []

beforeEach(() => {
  scratch = createScratch()
})

afterEach(async () => {
  for (const database of opened.splice(0)) await database.close()
  scratch.remove()
})

function open(path = join(scratch.path, 'data.db')): AssentDatabase {
  const database = openDatabase(path)
  opened.push(database)
  return database
}

const put = (database: AssentDatabase, key: string) =>
  database.transaction(() => {
    database.sqlite.prepare("INSERT INTO conversation_records VALUES ('n', ?, '1')").run(key)
  })

const keys = async (database: AssentDatabase) => {
  const sql = 'SELECT key FROM conversation_records ORDER BY key'
  const [rows = []] = await database.query([{ sql }])
  return rows.map(({ key }) => key)
}

/** Counts for a second or more. */
const LONG = {
  sql: `WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ?)
    SELECT count(*) AS count FROM counted`,
  values: [5_000_000],
}

describe.each(['data.db', ':memory:'])('a query on %s', (name) => {
  const database = () => open(name === ':memory:' ? name : join(scratch.path, name))

  it('finds what was written before, whoever did', async () => {
    const one = database()
    await put(one, 'a')
    expect(await keys(one)).toEqual(['a'])
    await put(one, 'b')
    expect(await keys(one)).toEqual(['a', 'b'])
  })

  it('inside of a transaction finds what that has written', async () => {
    const one = database()
    const asked: Promise<unknown>[] = []
    const undone = one.transaction(() => {
      void put(one, 'a')
      asked.push(keys(one))
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(await asked[0]).toEqual(['a'])
    expect(await keys(one)).toEqual([])
  })

  it('brings values as they are, and says what is wrong with a statement', async () => {
    const one = database()
    const values = ['é中', 1.5, null, new Uint8Array([1, 2])]
    const sql = 'SELECT ? AS text, ? AS number, ? AS empty, ? AS bytes'
    const [[row] = []] = await one.query([{ sql, values }])
    expect(row).toMatchObject({
      text: 'é中',
      number: 1.5,
      empty: null,
      bytes: new Uint8Array([1, 2]),
    })
    await expect(one.query([{ sql: 'SELECT nonsense' }])).rejects.toThrow('no such column')
    expect(await keys(one)).toEqual([])
  })

  it('is refused once the database is closed', async () => {
    const one = database()
    await one.close()
    await expect(keys(one)).rejects.toMatchObject({ code: 'database_closed' })
  })
})

describe('a query on a file', () => {
  it('that takes long holds up neither this thread nor who writes', async () => {
    const database = open()
    const order: string[] = []
    const counting = database.query([LONG]).then(([rows]) => order.push(`${rows?.[0]?.['count']}`))
    for (let turn = 0; turn < 100; turn++) await setImmediate()
    await put(database, 'a')
    order.push('written')
    await counting
    expect(order).toEqual(['written', '5000000'])
  })

  it('brings many rows a few at a time, all of one moment', async () => {
    const database = open()
    const many = { sql: LONG.sql.replace('count(*) AS count', 'n'), values: [20_000] }
    let turns = 0
    let isOver = false
    const turn = (): void => {
      turns++
      if (!isOver) globalThis.setImmediate(turn)
    }
    turn()
    const sizes: number[] = []
    await database.read(many, (rows) => void sizes.push(rows.length))
    isOver = true
    expect(sizes.reduce((sum, size) => sum + size)).toBe(20_000)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(500)
    expect(turns).toBeGreaterThanOrEqual(sizes.length)

    const long = {
      sql: `SELECT printf('%.*c', 100000, 'x') AS text FROM (${many.sql})`,
      values: [20],
    }
    await database.read(long, (rows) => expect(rows.length).toBeLessThanOrEqual(3))
    const [two = [], none = [], three = []] = await database.query([
      { sql: 'SELECT 1 AS n UNION SELECT 2' },
      { sql: 'SELECT 1 AS n WHERE 0' },
      { ...many, values: [1_200] },
    ])
    expect([two.length, none.length, three.length]).toEqual([2, 0, 1_200])
  })

  it('leaves nothing behind when the database is closed before all rows came', async () => {
    const many = { sql: LONG.sql.replace('count(*) AS count', 'n'), values: [20_000] }
    const program = `
      import { openDatabase } from ${JSON.stringify(join(import.meta.dirname, 'open-database.ts'))}
      const database = openDatabase(process.argv[1])
      let closing
      const reading = database.read(${JSON.stringify(many)}, () => (closing ??= database.close()))
      console.log(await reading.catch(({ code }) => code))
      await closing`
    const flags = ['--conditions=@assent/source', '--input-type=module']
    const args = [...flags, '-e', program, join(scratch.path, 'other.db')]
    expect(spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 20_000 })).toMatchObject({
      stdout: 'database_closed\n',
      status: 0,
    })
  })

  it('fails when the database is closed meanwhile, which waits for it', async () => {
    const database = open()
    const counting = database.query([LONG])
    const closing = database.close()
    await expect(counting).rejects.toMatchObject({
      code: 'database_closed',
      message: 'data.db was closed; open it again.',
    })
    expect(database.sqlite.isOpen).toBe(true)
    await closing
    expect(database.sqlite.isOpen).toBe(false)
    expect(await keys(open())).toEqual([])
  })

  it('writes nothing', async () => {
    const database = open()
    await put(database, 'a')
    const writing = database.query([{ sql: 'DELETE FROM conversation_records' }])
    await expect(writing).rejects.toMatchObject({ code: 'database_unwritable' })
    expect(await keys(database)).toEqual(['a'])
  })

  it('keeps the process alive while it is asked, and no longer', () => {
    const program = `
      import { openDatabase } from ${JSON.stringify(join(import.meta.dirname, 'open-database.ts'))}
      const database = openDatabase(process.argv[1])
      const [[row]] = await database.query([{ sql: 'SELECT 7 AS seven' }])
      console.log(row.seven)`
    const flags = ['--conditions=@assent/source', '--input-type=module']
    const run = (...more: string[]) =>
      spawnSync(
        process.execPath,
        [...flags, ...more, '-e', program, join(scratch.path, 'other.db')],
        { encoding: 'utf8' },
      )
    expect(run()).toMatchObject({ stdout: '7\n', status: 0 })
    // Where no thread may be started it is asked here, and that is said.
    expect(run('--permission', '--allow-fs-read=*', '--allow-fs-write=*')).toMatchObject({
      stdout: '7\n',
      stderr: expect.stringContaining('--allow-worker'),
      status: 0,
    })
  })
})

describe('a thread that ends', () => {
  it('fails what it was asked, and is started anew by what is asked next', async () => {
    const { path } = open()
    let starts = 0
    const thread = createQueryThread((start) => {
      starts++
      if (starts > 1) return start()
      const dying = "require('node:worker_threads').parentPort.on('message', () => process.exit(1))"
      return new Worker(dying, { eval: true, execArgv: [] })
    })
    const connection = thread.connect(path, 0)
    const found: unknown[] = []
    const ask = () =>
      connection.ask([{ sql: 'SELECT 1 AS one' }], (rows) => void found.push(...rows))
    const asked = [1, 2].map(ask)
    for (const one of asked) {
      await expect(one).rejects.toMatchObject({
        code: 'database_unreadable',
        message: 'The thread that reads data.db has ended; ask again.',
      })
    }
    await ask()
    expect(found).toEqual([{ one: 1 }])
    await connection.close()
    expect(starts).toBe(2)
  })
})
