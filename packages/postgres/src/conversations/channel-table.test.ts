import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { checkChannels } from '../../../node/test/channel-checks.ts'
import { createTestDatabase, type TestDatabase } from '../../test/test-database.ts'
import { channelTable } from './channel-table.ts'

let test: TestDatabase

beforeAll(async () => {
  test = await createTestDatabase()
})

afterEach(async () => {
  await test.close()
  await test.empty()
})

afterAll(() => test.end())

describe('the channels of processes on PostgreSQL', () => {
  checkChannels(async () => {
    const open = async () => channelTable(await test.open({ maxConnections: 2 }))
    return {
      tables: [await open(), await open(), await open()],
      forgetSaid: async () => void (await test.client.query('truncate assent.channel_messages')),
      async forgetAll() {
        await test.client.query(
          'truncate assent.channels, assent.channel_messages, assent.channel_members',
        )
      },
    }
  })
})
