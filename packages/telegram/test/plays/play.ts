import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Update } from 'grammy/types'
import { createScratch } from '../../../node/test/scratch.ts'
import type { Clock } from '../../src/index.ts'
import { startBotApi } from '../fake-bot-api.ts'
import { CHATS, createCrowd } from './crowd.ts'
import type { Fault } from './faults.ts'
import { judge } from './judge.ts'
import { beginLife, type Life } from './life.ts'
import { randomOf, type Kill, type Plan, type PlayEvent, type Spell } from './plan.ts'
import { playWeather } from './weather.ts'

/** How a play went. */
export interface Played {
  /** What must not be, in words; empty when all is well. */
  readonly violations: readonly string[]
  readonly messages: number
  readonly effects: number
  /** How often each kind of breakage happened. */
  readonly counts: ReadonlyMap<string, number>
}

/** Telegram's clock goes so many times faster than that of the machine. */
const SPEED = 200
/** A call may take so long on a busy machine, in milliseconds of that. */
const LEAST_LIMIT_MS = 1_000
const LONGEST_REST_MS = 150_000
/** One that does not come to rest is found out sooner where that is to be. */
const FAULTY_REST_MS = 3_000
/** So often in a row nothing is found to be left. */
const SETTLED = 8
const OPEN = ['queued', 'parked', 'in_progress', 'model_round', 'tool_round', 'reply_sent'] as const

/** Plays a plan against a bot that is killed again and again, and judges what people see in the end. */
export async function play({ seed, steps }: Plan, fault?: Fault): Promise<Played> {
  const random = randomOf(seed + 1)
  const scratch = createScratch()
  const startedAt = Date.now()
  const clock: Clock = {
    now: () => startedAt + (Date.now() - startedAt) * SPEED,
    wait: (ms, signal) => pause(ms / SPEED, undefined, { signal }),
    timeout: (ms) => AbortSignal.timeout(Math.max(LEAST_LIMIT_MS, ms / SPEED)),
  }
  const api = await startBotApi(clock.now)
  const weather = playWeather(clock.now, random)
  const crowd = createCrowd(api)
  const counts = new Map<string, number>()
  const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1)
  const effects = new Map<string, number>()
  const lives: Life[] = []
  /** Spells that begin with the next updates. */
  const atNews: Spell[] = []
  /** Where the next kill is to be. */
  let killAt: Kill | undefined
  let life = begin()
  api.setWeather((call) => {
    if (killAt !== call.method) return weather.meet(call)
    // Telegram does what it was asked, and nobody hears of it.
    queueMicrotask(() => killHere(call.method))
    return 'cut-after'
  })

  function begin(): Life {
    const may = ['talk', 'approve'] as const
    const made = beginLife({
      api,
      databasePath: join(scratch.path, 'data.db'),
      name: `life-${lives.length}`,
      clock,
      speed: SPEED,
      allow: [
        { user: CHATS.ada, may },
        { user: CHATS.ben, may },
        { chat: CHATS.group, may },
        { chat: CHATS.forum, may },
        // Whoever is not told that it has moved knows it by this number only.
        { chat: CHATS.moved, may },
      ],
      isModelDown: weather.isModelDown,
      act(key) {
        effects.set(key, (effects.get(key) ?? 0) + 1)
        killHere('after an effect')
      },
      onKept() {
        for (const spell of atNews.splice(0)) weather.begin(spell)
        killHere('updates stored')
      },
      fault,
    })
    lives.push(made)
    return made
  }

  function killHere(kill: string): void {
    if (killAt !== kill) return
    killAt = undefined
    count(`killed: ${kill}`)
    life.kill()
    life = begin()
  }

  function happen(event: PlayEvent): void {
    count(event)
    switch (event) {
      case 'conflict':
        return api.conflict()
      case 'duplicates':
        return api.setOrder((news, past) =>
          [...past.filter(() => random() < 0.3), ...news, ...news].slice(-100),
        )
      case 'reordering':
        return api.setOrder((news) => shuffled(news, random))
      case 'group moves, told':
      case 'group moves, not told':
        return crowd.move(event === 'group moves, told')
      case 'topic deleted':
        return crowd.deleteTopic()
    }
  }

  /** Nothing is left to be done, as far as all that is stored says. */
  async function isSettled(): Promise<boolean> {
    const { stores, records } = life
    const tasks = await stores.inbox.count()
    const replies = await stores.replies.undelivered(1_000)
    return (
      OPEN.every((state) => (tasks.get(state) ?? 0) === 0) &&
      replies.every(({ dueAt }) => dueAt === undefined) &&
      (await records.updates.open()).length === 0 &&
      (await records.asks.notOver()).length === 0 &&
      api.pending() === 0 &&
      life.isQuiet()
    )
  }

  async function untilAtRest(): Promise<string[]> {
    const end = Date.now() + (fault ? FAULTY_REST_MS : LONGEST_REST_MS)
    for (let settled = 0; settled < SETTLED;) {
      if (Date.now() > end) return ['it came to no rest']
      crowd.press()
      // It may be killed while it is asked.
      const isDone = weather.isOver() && (await isSettled().catch(() => false))
      settled = isDone ? settled + 1 : 0
      await pause(25)
    }
    return []
  }

  try {
    for (const step of steps) {
      const until = Date.now() + step.afterMs / SPEED
      do {
        crowd.press()
        await pause(3)
      } while (Date.now() < until)
      if (step.do === 'say') crowd.say(step.said)
      else if (step.do === 'spell') {
        if (step.isAtNews) atNews.push(step.spell)
        else weather.begin(step.spell)
      } else if (step.do === 'event') happen(step.event)
      else {
        killAt = step.kill
        killHere('any time')
      }
    }
    const violations = [...(await untilAtRest()), ...judge(crowd, effects)]
    for (const { taskId, dueAt, failures, error } of await life.stores.replies.undelivered(1_000)) {
      const when = dueAt === undefined ? 'given up' : `due in ${dueAt - Date.now()} ms`
      const what = `${failures} tries, ${when}: ${error?.message ?? 'waits for others'}`
      violations.push(`${taskId}: its reply was stored, and not delivered (${what})`)
    }
    for (const [spell, many] of weather.counts) counts.set(`met: ${spell}`, many)
    const effectCount = [...effects.values()].reduce((sum, many) => sum + many, 0)
    return { violations, messages: crowd.said.length, effects: effectCount, counts }
  } finally {
    life.kill()
    await Promise.all(lives.map(({ over }) => over))
    await api.close()
    scratch.remove()
  }
}

function shuffled(updates: readonly Update[], random: () => number): Update[] {
  return updates
    .map((update) => ({ update, at: random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ update }) => update)
}
