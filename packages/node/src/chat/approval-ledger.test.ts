import { afterEach, describe, expect, test } from 'vitest'
import { openDatabase, type AssentDatabase } from '../sqlite/open-database.ts'
import { memoryLedger } from './approval-ledger.ts'
import { sqliteLedger } from './sqlite-ledger.ts'

const databases: AssentDatabase[] = []
const open = () => {
  const database = openDatabase(':memory:')
  databases.push(database)
  return database
}
afterEach(() => {
  for (const database of databases.splice(0)) database.close()
})

describe.each([
  ['in memory', () => memoryLedger()],
  ['in a database', () => sqliteLedger(open(), 1000)],
])('a ledger %s', (_, make) => {
  test('keeps the first decision', () => {
    const ledger = make()
    expect([ledger.decide('a', true), ledger.decide('a', false)]).toEqual([true, true])
    expect([ledger.decide('b', false), ledger.decide('b', true)]).toEqual([false, false])
  })

  test('lets a call begin once, and gives its outcome afterwards', async () => {
    const ledger = make()
    ledger.decide('a', true)
    expect(ledger.begin('a')).toEqual({ status: 'new' })
    const running = ledger.begin('a')
    ledger.end('a', { status: 'done', output: { receipt: [1] } })
    if (running.status !== 'running') throw new Error(running.status)
    expect(await running.ended).toEqual({ status: 'done', output: { receipt: [1] } })
    expect(ledger.begin('a')).toEqual({ status: 'done', output: { receipt: [1] } })
    expect(ledger.decide('a', false)).toBe(true)
    expect(ledger.begin('b')).toEqual({ status: 'new' })
    ledger.end('b', { status: 'failed', errorText: 'no' })
    expect(ledger.begin('b')).toEqual({ status: 'failed', errorText: 'no' })
  })

  test('keeps that there is no output', () => {
    const ledger = make()
    ledger.begin('a')
    ledger.end('a', { status: 'done', output: undefined })
    expect(ledger.begin('a')).toEqual({ status: 'done', output: undefined })
  })
})

test('a ledger in memory forgets the oldest first', () => {
  const ledger = memoryLedger(2)
  for (const id of ['a', 'b', 'c']) ledger.decide(id, false)
  expect(['c', 'b', 'a'].map((id) => ledger.decide(id, true))).toEqual([false, false, true])
})

test('a ledger in a database forgets what cannot be used any more', () => {
  let now = 0
  const ledger = sqliteLedger(open(), 1000, () => now)
  ledger.decide('a', false)
  now = 1000
  ledger.decide('b', false)
  expect(ledger.decide('a', true)).toBe(false)
  now = 1001
  ledger.decide('c', false)
  expect(ledger.decide('a', true)).toBe(true)
})

test('two processes with one database begin a call once', () => {
  const database = open()
  const [one, other] = [sqliteLedger(database, 1000), sqliteLedger(database, 1000)]
  expect(one.begin('a')).toEqual({ status: 'new' })
  expect(other.begin('a')).toEqual({ status: 'unknown' })
  one.end('a', { status: 'done', output: 1 })
  expect(other.begin('a')).toEqual({ status: 'done', output: 1 })
})
