import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '@assent/node'
import { sqliteInbox } from '@assent/worker'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startNode, type NodeProcess } from '../../node/test/node-process.ts'
import { createScratch, type Scratch } from '../../node/test/scratch.ts'
import { startBotApi, type FakeBotApi } from '../test/fake-bot-api.ts'
import { english } from './words.ts'

const isDeep = process.env['ASSENT_DEEP'] === '1'
const isSoak = process.env['ASSENT_SOAK'] === '1'
const KILLS = isSoak ? 100 : isDeep ? 8 : 3
const FIXTURE = join(import.meta.dirname, '../test/bot-process.fixture.ts')
const USERS = [11, 12]
const KINDS = ['say', 'ask', 'effect'] as const
/** Methods in whose middle a process ends: before the call takes effect, or before it hears of that. */
const MOMENTS = ['sendMessage', 'getUpdates', 'answerCallbackQuery', 'editMessageText'] as const

let scratch: Scratch
let api: FakeBotApi
let bot: NodeProcess

beforeEach(async () => {
  scratch = createScratch()
  api = await startBotApi(Date.now)
})

afterEach(async () => {
  bot.kill()
  await bot.ended
  await api.close()
  scratch.remove()
})

it(
  `a bot that is killed ${KILLS} times answers all, in order, and repeats nothing without a mark`,
  async () => {
    const path = join(scratch.path, 'data.db')
    const effects = join(scratch.path, 'effects')
    writeFileSync(effects, '')
    const start = async (): Promise<void> => {
      bot = startNode(FIXTURE, path, api.url, api.token, effects, ...USERS.map(String))
      await bot.line()
    }
    const people = USERS.map((id) => api.person(id))
    const keys = new Map(people.map(({ chatId }) => [chatId, [] as string[]]))
    /** Everybody says something of every kind. */
    const talk = (round: number): void => {
      for (const { id, chatId, says } of people) {
        for (const kind of KINDS) {
          const key = `k${id}-${round}-${kind}`
          says(`${kind} ${key}`)
          keys.get(chatId)?.push(key)
        }
      }
    }

    const pressed = new Set<number>()
    const press = (): void => {
      for (const person of people) {
        for (const { id, buttons } of api.shown(person.chatId)) {
          if (buttons.length === 0 || pressed.has(id)) continue
          pressed.add(id)
          person.presses(id, english.approve)
        }
      }
    }
    const repliesTo = (chatId: number, key: string) =>
      api.shown(chatId).filter(({ text }) => new RegExp(`^(.*\\n)?\\w+ ${key}$`).test(text))
    const isAnswered = () =>
      [...keys].every(([chatId, all]) => all.every((key) => repliesTo(chatId, key).length > 0))

    await start()
    const never = new AbortController().signal
    const killedIn = new Map<string, number>()
    for (let kills = 0; kills < KILLS; kills++) {
      talk(kills)
      const method = MOMENTS[kills % MOMENTS.length] ?? 'sendMessage'
      // Half of them after the call took effect: the process never hears of it.
      api.fail({ method, by: 'hold', isDone: kills % 8 >= 4, after: kills % 3 })
      while (api.heldCalls() === 0 && !isAnswered()) {
        await api.nextCall(never)
        press()
      }
      bot.kill()
      await bot.ended
      killedIn.set(method, (killedIn.get(method) ?? 0) + 1)
      api.release()
      await start()
    }
    while (!isAnswered()) {
      await api.nextCall(never)
      press()
    }

    const database = openDatabase(path)
    const tasks = await sqliteInbox(database).list({ limit: 1_000 })
    database.close()
    expect(tasks).toHaveLength(KILLS * KINDS.length * USERS.length)
    const ran = readFileSync(effects, 'utf8').split('\n')
    for (const [chatId, all] of keys) {
      const first = all.map((key) => api.shown(chatId).indexOf(repliesTo(chatId, key)[0]!))
      expect(first).toEqual(first.toSorted((a, b) => a - b))
      for (const key of all) {
        const replies = repliesTo(chatId, key).map(({ text }) => text)
        const unmarked = replies.filter((text) => !text.startsWith(english.repeated))
        expect(unmarked.slice(1)).toEqual([])
        const runs = ran.filter((line) => line === key).length
        expect(runs).toBeLessThanOrEqual(1)
        const isDone = replies.some((text) => text.includes(`ok ${key}`))
        expect({ key, runs: isDone ? runs : 1 }).toEqual({ key, runs: 1 })
      }
    }
    process.stdout.write(
      `Killed in ${[...killedIn].map(([name, count]) => `${name} ${count}`).join(', ')}\n`,
    )
  },
  isDeep ? 600_000 : 60_000,
)
