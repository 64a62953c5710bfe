import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AssentDatabase,
  eraseFromSqlite,
  type Erased,
  type ErasureSubject,
  openDatabase,
} from '@assent/node'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sqliteTelegramRecords } from './sqlite-records.ts'
import type { TelegramRecords } from './telegram-records.ts'
import { telegramRecordsConformance } from './testing/records-conformance.ts'

let folder = ''
let now = 1_700_000_000_000
const opened: AssentDatabase[] = []

beforeEach(() => {
  now = 1_700_000_000_000
  folder = mkdtempSync(join(tmpdir(), 'assent-telegram-'))
})

afterEach(() => {
  for (const database of opened.splice(0)) database.close()
  rmSync(folder, { recursive: true })
})

function open(path = join(folder, 'data.db')): TelegramRecords {
  const database = openDatabase(path, { synchronous: 'normal' })
  opened.push(database)
  return sqliteTelegramRecords(database, { now: () => now })
}

/** By the connection that was opened last. */
async function erase(subject: ErasureSubject): Promise<Erased> {
  const database = opened.at(-1)
  if (!database) throw new Error('Nothing is open.')
  return eraseFromSqlite(database, subject)
}

const advance = (ms: number): void => void (now += ms)

describe('sqliteTelegramRecords', () => {
  describe('with one connection', () => {
    it.each(telegramRecordsConformance())('$name', async ({ run }) => {
      const records = open(':memory:')
      await expect(
        run(async () => ({ records, other: records, advance, erase })),
      ).resolves.toBeUndefined()
    })
  })

  describe('with three connections to one file', () => {
    it.each(telegramRecordsConformance())('$name', async ({ run }) => {
      const others = [open(), open()]
      let turn = 0
      const other: TelegramRecords = { ofBot: (botId) => others[turn++ % 2]!.ofBot(botId) }
      const made = run(async () => ({ records: open(), other, advance, erase }))
      await expect(made).resolves.toBeUndefined()
    })
  })
})
