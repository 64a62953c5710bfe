import { join } from 'node:path'
import { nat, sample } from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createKiller } from '../../test/chat-kills/killer.ts'
import { openPage, type Page, type PageOptions } from '../../test/chat-kills/page.ts'
import { answerByPlan, KINDS } from '../../test/chat-kills/plans.ts'
import { openSdkPage } from '../../test/chat-kills/sdk-page.ts'
import { startServers, type Servers } from '../../test/chat-kills/servers.ts'
import { auditedCalls, overTurn, wrongWith, type OverTurn } from '../../test/chat-kills/truth.ts'
import { createScratch, type Scratch } from '../../test/scratch.ts'
import { openWorld, type World } from '../../test/kills/world.ts'
import { auditLog } from '../audit/sqlite-audit.ts'
import { openDatabase } from '../sqlite/open-database.ts'

const isDeep = process.env['ASSENT_DEEP'] === '1'
const isSoak = process.env['ASSENT_SOAK'] === '1'
const KILLS = isSoak ? 200 : isDeep ? 18 : 3
/** How long the server is away at most, in milliseconds. */
const AWAY_MS = isSoak ? 30_000 : isDeep ? 3_000 : 300
const PAGES = [openPage, openSdkPage, openPage, openSdkPage]
/** Of a conversation, before its page begins another. */
const TURNS = 3

let scratch: Scratch
let world: World
let servers: Servers
let dice: (sides: number) => number

beforeEach(async () => {
  scratch = createScratch()
  world = await openWorld(answerByPlan)
  dice = throwDice()
  const away = () => dice(AWAY_MS)
  servers = await startServers(join(scratch.path, 'data.db'), world.url, away)
})

afterEach(async () => {
  await servers.close()
  await world.close()
  scratch.remove()
})

describe('a chat whose server is killed', () => {
  it(
    `runs no call twice and hides no loss, after ${KILLS} kills`,
    async () => {
      const killer = createKiller({ world, servers, mostKills: KILLS, dice })
      const decisions = new Map<string, 'yes' | 'no'>()
      const decide = (toolCallId: string) => {
        const decision = decisions.get(toolCallId) ?? (dice(3) === 0 ? 'no' : 'yes')
        decisions.set(toolCallId, decision)
        return decision
      }
      const over: OverTurn[] = []
      let conversations = 0
      let turns = 0
      let returns = 0
      const lead = async (open: (options: PageOptions) => Page) => {
        while (killer.kills < KILLS) {
          const page = open({ servers, id: `c${conversations++}`, decide })
          for (let turn = 0; turn < TURNS; turn++) {
            const message = `${KINDS[dice(KINDS.length)]} k${turns++}`
            await page.say(message)
            over.push(overTurn(message, page.messages))
          }
          returns += page.returns
        }
      }
      await Promise.all(PAGES.map(lead))
      await killer.landed()
      await servers.ready()
      await servers.close()

      const fates = over.flatMap(({ shown }) => [...shown.values()])
      const counts = Map.groupBy(fates, (fate) => fate)
      const told = [...counts].map(([fate, { length }]) => `${length} ${fate}`).join(', ')
      const { before, during, after } = killer.fell
      process.stdout.write(
        `\n${killer.kills} kills: ${before} before an effect, ${during} between one and its result, ` +
          `${after} after that; ${over.length} turns, taken up ${returns} times; calls: ${told}.\n`,
      )
      expect(before + during + after).toBe(KILLS)
      expect(during).toBeGreaterThan(0)
      const database = openDatabase(join(scratch.path, 'data.db'))
      try {
        const audit = auditLog(database)
        const audited = await auditedCalls(audit)
        const { effects } = world
        expect(over.flatMap((turn) => wrongWith(turn, { effects, audited, decide }))).toEqual([])
        expect(await audit.verify()).toMatchObject({ valid: true })
        const checked = database.sqlite.prepare('PRAGMA integrity_check').all()
        expect(checked).toEqual([{ integrity_check: 'ok' }])
      } finally {
        database.close()
      }
    },
    isSoak ? 6 * 3_600_000 : 300_000,
  )
})

/** Numbers from 0 up to the given one, which is not among them. */
function throwDice(): (sides: number) => number {
  const throws = sample(nat(2 ** 30), 4_096)
  let next = 0
  return (sides) => (throws[next++ % throws.length] ?? 0) % sides
}
