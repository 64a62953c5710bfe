import { hash } from 'node:crypto'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createScratch, type Scratch } from '../../test/scratch.ts'
import { MIGRATIONS } from './migrations.ts'
import { openDatabase, openWith, type AssentDatabase } from './open-database.ts'
import { sqliteStorage } from './sqlite-storage.ts'

/** What the release before knows. */
const BEFORE = MIGRATIONS.slice(0, 8)

let scratch: Scratch
const opened: AssentDatabase[] = []

beforeEach(() => {
  scratch = createScratch()
})

afterEach(() => {
  for (const database of opened.splice(0)) database.close()
  scratch.remove()
})

const file = () => join(scratch.path, 'data.db')

/** Opens the file as a process that knows these migrations. */
function open(migrations: readonly string[]): AssentDatabase {
  const database = openWith(file(), {}, migrations)
  opened.push(database)
  return database
}

interface Column {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
}

/** The columns of each table. */
function tablesOf(sqlite: DatabaseSync): ReadonlyMap<string, readonly Column[]> {
  const names = sqlite.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  return new Map(
    names.map(({ name }) => [
      String(name),
      sqlite
        .prepare('SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?)')
        .all(String(name))
        .map((column) => ({
          name: String(column['name']),
          type: String(column['type']),
          isRequired:
            column['notnull'] === 1 && column['dflt_value'] === null && column['pk'] === 0,
        })),
    ]),
  )
}

/** As the release before did: what it prepares knows the columns of then. */
function write({ sqlite }: AssentDatabase, namespace: string, value: number): void {
  sqlite
    .prepare(
      "INSERT OR REPLACE INTO conversation_records (namespace, key, value) VALUES (?, 'k', ?)",
    )
    .run(namespace, String(value))
  sqlite
    .prepare(
      `INSERT INTO conversation_leases (namespace, owner, epoch, expires_at) VALUES (?, NULL, 1, 0)
       ON CONFLICT DO UPDATE SET epoch = excluded.epoch`,
    )
    .run(namespace)
}

function read({ sqlite }: AssentDatabase, namespace: string): unknown {
  return sqlite
    .prepare("SELECT value FROM conversation_records WHERE namespace = ? AND key = 'k'")
    .get(namespace)?.['value']
}

describe('processes of the release before', () => {
  it('go on at a file that a newer one has brought up to date, also when they open it then', async () => {
    const old = open(BEFORE)
    write(old, 'conversation/a', 1)
    const latest = open(MIGRATIONS)
    await sqliteStorage(latest).write('conversation/a', { put: new Map([['k', 2]]) })
    write(old, 'conversation/b', 3)
    const late = open(BEFORE)
    expect(read(late, 'conversation/a')).toBe('2')
    expect(await sqliteStorage(latest).read('conversation/b')).toEqual(new Map([['k', 3]]))
    // An older one does not take back what a newer one has noted.
    expect(latest.sqlite.prepare('PRAGMA user_version').get()).toEqual({
      user_version: MIGRATIONS.length,
    })
    expect(open(MIGRATIONS).sqlite.prepare('SELECT oldest FROM assent_schema').get()).toEqual({
      oldest: 8,
    })
  })

  it('refuse a file whose tables they cannot use any more, and say what to do', () => {
    open([
      ...MIGRATIONS,
      `DROP TABLE task_replies; UPDATE assent_schema SET oldest = ${MIGRATIONS.length + 1}`,
    ])
    for (const migrations of [BEFORE, MIGRATIONS]) {
      expect(() => open(migrations)).toThrow(
        expect.objectContaining({
          code: 'database_newer',
          message: expect.stringContaining('update @assent/node'),
        }),
      )
    }
  })

  it('refuse what was made before the tables said who may use them', () => {
    open(MIGRATIONS.slice(0, 9))
    expect(() => open(BEFORE)).toThrow(expect.objectContaining({ code: 'database_newer' }))
  })

  it('find every table and column as it was, and need to know no new one', () => {
    const old = tablesOf(openWith(':memory:', {}, BEFORE).sqlite)
    const now = tablesOf(openDatabase(':memory:').sqlite)
    expect(old.size).toBeGreaterThan(10)
    for (const [table, columns] of old) {
      const found = now.get(table) ?? []
      expect(found).toEqual(expect.arrayContaining([...columns]))
      const names = new Set(columns.map(({ name }) => name))
      const added = found.filter(({ name }) => !names.has(name))
      expect(added.filter(({ isRequired }) => isRequired)).toEqual([])
    }
  })

  it('have made what was never changed since', () => {
    const hashes = MIGRATIONS.map((sql) => hash('sha256', sql, 'hex').slice(0, 8))
    expect(hashes.slice(0, 8)).toMatchInlineSnapshot(`
      [
        "54a1f4d8",
        "3c08a2c7",
        "b14182fe",
        "ce0a4d46",
        "1e2d290e",
        "5060e784",
        "d29df9c1",
        "6f199922",
      ]
    `)
  })
})
