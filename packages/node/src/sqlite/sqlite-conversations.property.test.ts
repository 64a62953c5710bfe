import { deepEqual, equal, rejects } from 'node:assert/strict'
import { join } from 'node:path'
import type { Persistence } from '@assent/engine'
import type { ConversationHold } from '@assent/engine/storage'
import { array, asyncProperty, assert, constantFrom, nat, record } from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createScratch, type Scratch } from '../../test/scratch.ts'
import { openDatabase, type AssentDatabase } from './open-database.ts'
import { sqliteConversations } from './sqlite-conversations.ts'
import { sqliteStorage } from './sqlite-storage.ts'

const RUNS = process.env['ASSENT_DEEP'] === '1' ? 600 : 6
const LEASE_MS = 300

let scratch: Scratch

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
  scratch = createScratch()
})

afterEach(() => {
  vi.useRealTimers()
  scratch.remove()
})

/** What keeps a draft of the conversation, as an engine does: a write of its own for each. */
interface Writer {
  readonly hold: ConversationHold
  /** Whether it was written. */
  write(text: string): Promise<boolean>
}

async function writerOf(hold: ConversationHold): Promise<Writer> {
  let text = ''
  const persistence: Persistence = hold.storage.open({
    conversationId: 'c',
    getState: () => ({
      requestState: 'idle',
      processingState: undefined,
      messages: [],
      messageIds: [],
      error: undefined,
      turn: undefined,
      queue: [],
      confirmations: [],
      drafts: [{ key: 'composer', value: text }],
    }),
    getMessage: () => undefined,
    now: Date.now,
    report: () => undefined,
  })
  await persistence.restore()
  return {
    hold,
    async write(next) {
      text = next
      persistence.changed(undefined, true)
      return (await persistence.save()) === 'stored'
    },
  }
}

/** Three processes that want the same conversation, and what they must find. */
class Play {
  readonly #databases: readonly AssentDatabase[]
  readonly #writers = new Map<number, Writer>()
  /** All that ever held it, in order. */
  readonly #held: Writer[] = []
  #isReleased = true
  #written: string | undefined

  constructor(path: string) {
    this.#databases = [1, 2, 3].map(() => openDatabase(path, { synchronous: 'normal' }))
  }

  async hold(by: number): Promise<void> {
    const hold = await sqliteConversations(this.#databases[by]!).hold('c', { leaseMs: LEASE_MS })
    // Nobody goes away empty-handed while it is free.
    equal(hold !== undefined || !this.#isReleased, true)
    if (!hold) return
    deepEqual([hold.epoch, hold.isTakenOver], [this.#held.length + 1, !this.#isReleased])
    this.#isReleased = false
    const writer = await writerOf(hold)
    this.#writers.set(by, writer)
    this.#held.push(writer)
  }

  async write(by: number, text: string): Promise<void> {
    const writer = this.#writers.get(by)
    if (!writer) return
    const isLast = writer === this.#held.at(-1) && !this.#isReleased
    equal(await writer.write(text), isLast)
    equal(isLast && writer.hold.lost.aborted, false)
    if (isLast) this.#written = text
  }

  async release(by: number): Promise<void> {
    const writer = this.#writers.get(by)
    await writer?.hold.release()
    if (writer && writer === this.#held.at(-1)) this.#isReleased = true
  }

  async look(by: number): Promise<void> {
    const records = await sqliteStorage(this.#databases[by]!).read('conversation/c')
    const draft = this.#written === undefined ? undefined : { value: this.#written }
    deepEqual(records.get('draft/composer'), draft)
    for (const { hold } of this.#held.slice(0, -1)) {
      await rejects(hold.check(), { code: 'hold_lost' })
    }
  }

  close(): void {
    for (const database of this.#databases) database.close()
  }
}

const actions = array(
  record({
    by: nat({ max: 2 }),
    action: constantFrom('hold', 'hold', 'write', 'write', 'release', 'run', 'stand still'),
    ms: nat({ max: LEASE_MS * 2 }),
  }),
  { maxLength: 40 },
)

it('is written by the last one that took hold of it, and by nobody else', async () => {
  let file = 0
  const whoever = asyncProperty(actions, async (played) => {
    const play = new Play(join(scratch.path, `${file++}.db`))
    for (const [index, { by, action, ms }] of played.entries()) {
      if (action === 'hold') await play.hold(by)
      else if (action === 'write') await play.write(by, `${index}`)
      else if (action === 'release') await play.release(by)
      else if (action === 'run') await vi.advanceTimersByTimeAsync(ms)
      else vi.setSystemTime(Date.now() + ms)
      // Also a holder that was taken over and does not know it yet.
      if (action === 'write') await play.look(by)
    }
    await play.look(0)
    play.close()
    expect(vi.getTimerCount()).toBe(0)
  })
  await assert(whoever, { numRuns: RUNS })
})
