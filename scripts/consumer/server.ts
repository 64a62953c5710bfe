// A user's chat server, worker and bot; compiled against the published packages, never run.
import { createChatHandler, openDatabase } from '@assent/node'
import { ledgerConformance, type TestedLedger } from '@assent/node/testing'
import { openPostgres, postgresStorage, type AssentPostgres } from '@assent/postgres'
import { telegramChannel, type TelegramChannel } from '@assent/telegram'
import { createWorker, modelEngine, sqliteInbox, type Worker } from '@assent/worker'
import { inboxConformance, type TestedInbox } from '@assent/worker/testing'
import type { LanguageModel } from 'ai'

const database = openDatabase('assent.db')
const inbox = sqliteInbox(database)

export const chat = (model: LanguageModel): ((request: Request) => Promise<Response>) =>
  createChatHandler({ model, database })

export const bot: TelegramChannel = telegramChannel({ token: '1:a', inbox, database, allow: [] })

export const worker = (model: LanguageModel): Worker =>
  createWorker({
    inbox,
    database,
    createEngine: modelEngine({ model }),
    onReply: (reply) => bot.reply(reply),
  })

export const tests = (
  ledger: () => TestedLedger | Promise<TestedLedger>,
  tasks: () => TestedInbox | Promise<TestedInbox>,
): unknown => [ledgerConformance(), inboxConformance(), ledger, tasks]

export const shared = async (url: string): Promise<unknown> => {
  const postgres: AssentPostgres = await openPostgres({ url })
  return postgresStorage(postgres)
}
