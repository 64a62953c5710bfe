import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Inbox, Task } from '@assent/worker'
import { expect } from 'vitest'
import type { NodeProcess } from '../../node/test/node-process.ts'
import { createScratch } from '../../node/test/scratch.ts'
import { english } from '../src/words.ts'
import { startBotApi } from './fake-bot-api.ts'

const isDeep = process.env['ASSENT_DEEP'] === '1'
const isSoak = process.env['ASSENT_SOAK'] === '1'
/** Kills of a play; a few in the quick run. */
export const KILLS = isSoak ? 100 : isDeep ? 8 : 3
export const KILLS_TIMEOUT_MS = isDeep ? 600_000 : 60_000
const USERS = [11, 12]
const KINDS = ['say', 'ask', 'effect'] as const
/** All that is said in a play. */
export const SAID = KILLS * KINDS.length * USERS.length
/** Methods in whose middle a process ends: before the call takes effect, or before it hears of that. */
const MOMENTS = ['sendMessage', 'getUpdates', 'answerCallbackQuery', 'editMessageText'] as const

/** What is killed. */
export interface KillPlay {
  readonly inbox: Inbox
  /** Starts a bot with these arguments of `startBot`, which prints a line once it works. */
  readonly start: (args: readonly string[]) => NodeProcess
}

/** Kills a bot again and again, until everybody was answered: in order, and nothing twice without a mark. */
export async function playKills({ inbox, start }: KillPlay): Promise<readonly Task[]> {
  const scratch = createScratch()
  const effects = join(scratch.path, 'effects')
  writeFileSync(effects, '')
  const api = await startBotApi(Date.now)
  let bot: NodeProcess | undefined
  const kill = async (): Promise<void> => {
    bot?.kill()
    await bot?.ended
  }
  const startNext = async (): Promise<void> => {
    bot = start([api.url, api.token, effects, ...USERS.map(String)])
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

  try {
    await startNext()
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
      await kill()
      killedIn.set(method, (killedIn.get(method) ?? 0) + 1)
      api.release()
      await startNext()
    }
    while (!isAnswered()) {
      await api.nextCall(never)
      press()
    }

    const tasks = await inbox.list({ limit: 1_000 })
    const ran = readFileSync(effects, 'utf8').split('\n')
    for (const [chatId, all] of keys) {
      const first = all.map((key) =>
        api.shown(chatId).findIndex((one) => one === repliesTo(chatId, key)[0]),
      )
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
    return tasks
  } finally {
    await kill()
    await api.close()
    scratch.remove()
  }
}
