import { join } from 'node:path'
import { afterEach, describe } from 'vitest'
import { checkChannels } from '../../test/channel-checks.ts'
import { createScratch, type Scratch } from '../../test/scratch.ts'
import { channelTable } from './channel-table.ts'
import { openDatabase, type AssentDatabase } from './open-database.ts'

const opened: AssentDatabase[] = []
let scratch: Scratch | undefined

afterEach(() => {
  for (const database of opened.splice(0)) database.close()
  scratch?.remove()
})

describe('the channels of processes on one file', () => {
  checkChannels(async () => {
    const folder = createScratch()
    scratch = folder
    const open = () => {
      const database = openDatabase(join(folder.path, 'assent.db'))
      opened.push(database)
      return database
    }
    const [one, two, three] = [open(), open(), open()]
    return {
      tables: [channelTable(one), channelTable(two), channelTable(three)],
      forgetSaid: async () => one.sqlite.exec('DELETE FROM channel_messages'),
      forgetAll: async () =>
        one.sqlite.exec(
          'DELETE FROM channel_messages; DELETE FROM channel_members; DELETE FROM conversation_channels',
        ),
    }
  })
})
