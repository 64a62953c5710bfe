import type { ErasureSubject } from '@assent/node'
import { telegramRecordsConformance } from '@assent/telegram/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/test-database.ts'
import { eraseFromPostgres } from '../erasing/erase-from-postgres.ts'
import type { AssentPostgres } from '../open-postgres.ts'
import { postgresTelegramRecords } from './postgres-telegram-records.ts'

let test: TestDatabase
let one: AssentPostgres
let other: AssentPostgres

beforeAll(async () => {
  test = await createTestDatabase()
  one = await test.open()
  other = await test.open()
})

afterEach(async () => {
  await test.setClock(undefined)
  await test.empty()
})

afterAll(() => test.end())

describe('postgresTelegramRecords', () => {
  it.each(telegramRecordsConformance())('$name', async ({ run }) => {
    let now = 1_700_000_000_000
    const made = run(async () => {
      await test.setClock(now)
      return {
        records: postgresTelegramRecords(one),
        other: postgresTelegramRecords(other),
        advance: (ms: number) => test.setClock((now += ms)),
        erase: (subject: ErasureSubject) => eraseFromPostgres(other, subject),
      }
    })
    await expect(made).resolves.toBeUndefined()
  })
})
