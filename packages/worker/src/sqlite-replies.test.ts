import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AssentDatabase, openDatabase } from '@assent/node'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Replies } from './replies.ts'
import { sqliteReplies } from './sqlite-replies.ts'
import { sqliteStores } from './sqlite-stores.ts'
import { repliesConformance } from './testing/replies-conformance.ts'

let folder = ''
const opened: AssentDatabase[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assent-replies-'))
})

afterEach(() => {
  for (const database of opened.splice(0)) database.close()
  rmSync(folder, { recursive: true })
})

function open(path = join(folder, 'data.db')): AssentDatabase {
  const database = openDatabase(path, { synchronous: 'normal' })
  opened.push(database)
  return database
}

function testClock() {
  let time = 1_000
  return { now: () => time, advance: (ms: number) => void (time += ms) }
}

/** Several processes, of which each call is another one's. */
function inTurn(...all: readonly Replies[]): Replies {
  let turn = 0
  const next = (): Replies => all[turn++ % all.length]!
  return {
    find: (id) => next().find(id),
    record: (...given) => next().record(...given),
    begin: (claim) => next().begin(claim),
    undo: (claim) => next().undo(claim),
    sent: (claim) => next().sent(claim),
    fail: (...given) => next().fail(...given),
    next: (leaseMs) => next().next(leaseMs),
    extend: (...given) => next().extend(...given),
    undelivered: (limit) => next().undelivered(limit),
  }
}

describe('sqliteReplies', () => {
  describe('with one connection', () => {
    it.each(repliesConformance())('$name', async ({ run }) => {
      const clock = testClock()
      const replies = sqliteReplies(open(':memory:'), clock)
      await expect(
        run(async () => ({ replies, other: replies, ...clock })),
      ).resolves.toBeUndefined()
    })
  })

  describe('with three connections to one file', () => {
    it.each(repliesConformance())('$name', async ({ run }) => {
      const clock = testClock()
      const made = run(async () => ({
        replies: sqliteReplies(open(), clock),
        other: inTurn(sqliteReplies(open(), clock), sqliteReplies(open(), clock)),
        ...clock,
      }))
      await expect(made).resolves.toBeUndefined()
    })
  })

  it('are forgotten with their tasks: one of the same id is a new one', async () => {
    const { inbox, replies } = sqliteStores(open())
    await inbox.add({ id: 'a', conversationId: 'c', input: 'x' })
    const claim = await inbox.claim({ worker: 'w', leaseMs: 1_000 })
    if (!claim) throw new Error('There is nothing to claim.')
    await replies.record(claim, { text: 'done', message: undefined })
    await replies.sent(claim)
    await inbox.complete(claim)
    expect(await inbox.forget(Date.now() + 1)).toBe(1)
    expect(await replies.find('a')).toBeUndefined()
  })
})
