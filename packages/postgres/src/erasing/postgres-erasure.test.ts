import { erasureConformance, fillErasure as fill, type TestedErasure } from '@assent/worker/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/test-database.ts'
import { postgresLedger } from '../chat/postgres-ledger.ts'
import { postgresStreams } from '../chat/postgres-streams.ts'
import type { AssentPostgres } from '../open-postgres.ts'
import { postgresStores } from '../tasks/postgres-stores.ts'

let test: TestDatabase
let one: AssentPostgres
let other: AssentPostgres

beforeAll(async () => {
  test = await createTestDatabase()
  one = await test.open()
  other = await test.open()
})

afterEach(() => test.empty())

afterAll(() => test.end())

const tested = (): TestedErasure => ({
  stores: postgresStores(one),
  other: postgresStores(other),
  ledger: postgresLedger(one),
  contents,
})

/** All rows of all tables. */
async function contents(): Promise<string> {
  const { rows } = await test.client.query<{ name: string }>(
    `select format('assent.%I', tablename) as name from pg_tables where schemaname = 'assent'`,
  )
  const texts: string[] = []
  for (const { name } of rows) {
    const found = await test.client.query<{ row: string }>(`select t::text as row from ${name} t`)
    texts.push(...found.rows.map(({ row }) => row))
  }
  return texts.join('\n')
}

describe('what is erased of a database', () => {
  it.each(erasureConformance())('$name', async ({ run }) => {
    await expect(run(async () => tested())).resolves.toBeUndefined()
  })

  it('is gone once it is erased again, when it was cut off before the audit', async () => {
    const stores = postgresStores(one)
    await fill(tested(), { conversationId: 'telegram:7:11' }, 'marigold')
    await test.client.query(
      `create function assent.cut_off() returns trigger language plpgsql as
         $$ begin raise exception 'cut off'; end $$;
       create trigger cut_off before update on assent.audit_entries
         for each row execute function assent.cut_off()`,
    )
    await expect(stores.erase({ user: 'telegram:11' })).rejects.toThrow('cut off')
    expect(await contents()).toContain('marigold')
    await test.client.query('drop function assent.cut_off() cascade')
    const erased = await stores.erase({ user: 'telegram:11' })
    expect(erased).toMatchObject({ records: 0, calls: 0, tasks: 0, entries: 3 })
    expect(await contents()).not.toContain('marigold')
    expect(await stores.audit.verify()).toMatchObject({ valid: true })
  })

  it('has the streams of its answers, also one that is written', async () => {
    const streams = postgresStreams(one, { onError: () => undefined })
    const write = async (key: string, text: string) => {
      const stream = await streams.open(key)
      if (!stream) throw new Error('It is open.')
      const reader = stream.read().getReader()
      stream.append(new TextEncoder().encode(text))
      await reader.read()
      await expect.poll(contents).toContain(Buffer.from(text).toString('hex'))
      return { stream, reader }
    }
    await write('["bob","c"]', 'tulip')
    const { stream } = await write('["ada","c"]', 'marigold')
    await write('["ada","other"]', 'daisy')
    // As whoever answers says.
    await postgresLedger(one).begin({ owner: 'ada', conversationId: 'other' }, 'answer')
    const stores = postgresStores(other)
    expect(await stores.erase({ conversationId: 'c', owner: 'ada' })).toMatchObject({ calls: 1 })
    expect(await stores.erase({ user: 'ada' })).toMatchObject({ calls: 1 })
    stream.append(new TextEncoder().encode('marigold'))
    stream.end()
    await expect.poll(() => stream.isOpen).toBe(false)
    const all = await contents()
    for (const text of ['marigold', 'daisy']) {
      expect(all).not.toContain(Buffer.from(text).toString('hex'))
    }
    expect(all).toContain(Buffer.from('tulip').toString('hex'))
  })
})
