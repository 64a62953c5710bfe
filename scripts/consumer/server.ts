// A user's chat server, worker and bot; compiled against the published packages, never run.
import { createChatHandler, openDatabase } from '@assent/node'
import { ledgerConformance, type TestedLedger } from '@assent/node/testing'
import { openPostgres, postgresStores } from '@assent/postgres'
import { sqliteTelegramRecords, telegramChannel, type TelegramChannel } from '@assent/telegram'
import { createWorker, modelEngine, sqliteStores, type Worker } from '@assent/worker'
import { inboxConformance, type TestedInbox } from '@assent/worker/testing'
import type { LanguageModel } from 'ai'

const database = openDatabase('assent.db')
const stores = sqliteStores(database)

export const chat = (model: LanguageModel): ((request: Request) => Promise<Response>) =>
  createChatHandler({ model, database })

export const bot: TelegramChannel = telegramChannel({
  token: '1:a',
  inbox: stores.inbox,
  records: sqliteTelegramRecords(database),
  allow: [],
})

export const worker = (model: LanguageModel): Worker =>
  createWorker({
    ...stores,
    createEngine: modelEngine({ model }),
    onReply: (reply) => bot.reply(reply),
  })

export const tests = (
  ledger: () => TestedLedger | Promise<TestedLedger>,
  tasks: () => TestedInbox | Promise<TestedInbox>,
): unknown => [ledgerConformance(), inboxConformance(), ledger, tasks]

export const shared = async (url: string, model: LanguageModel): Promise<Worker> =>
  createWorker({
    ...postgresStores(await openPostgres({ url })),
    createEngine: modelEngine({ model }),
  })
