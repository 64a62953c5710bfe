import { join } from 'node:path'
import { createMessageEngine, toolPlugin, type MessageEngine } from '@assent/engine'
import {
  storedConversations,
  type ConversationHold,
  type Conversations,
} from '@assent/engine/storage'
import {
  answer,
  callTools,
  conversationsConformance,
  scriptedTransport,
  untilState,
  type TestedConversations,
} from '@assent/engine/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createScratch, type Scratch } from '../../test/scratch.ts'
import { openDatabase } from './open-database.ts'
import { sqliteConversations } from './sqlite-conversations.ts'

let scratch: Scratch
let now = 1_000_000
const endings: (() => void)[] = []

beforeEach(() => {
  now = 1_000_000
  scratch = createScratch()
})

afterEach(() => {
  for (const end of endings.splice(0)) end()
  scratch.remove()
})

/** The conversations of a database as one more process has them. */
function open(path = join(scratch.path, 'data.db')): Conversations {
  const database = openDatabase(path, { synchronous: 'normal' })
  endings.push(() => database.close())
  return sqliteConversations(database, { now: () => now })
}

function tested(conversations: Conversations, other: Conversations): TestedConversations {
  return { conversations, other, advance: (ms) => void (now += ms) }
}

/** Several processes, of which each call is another one's. */
function inTurn(...all: readonly Conversations[]): Conversations {
  let turn = 0
  const next = () => all[turn++ % all.length]!
  return {
    get storage() {
      return next().storage
    },
    hold: (...asked) => next().hold(...asked),
  }
}

describe('sqliteConversations', () => {
  describe('with one connection', () => {
    it.each(conversationsConformance())('$name', async ({ run }) => {
      const one = open(':memory:')
      await expect(run(async () => tested(one, one))).resolves.toBeUndefined()
    })
  })

  describe('with three connections to one file', () => {
    it.each(conversationsConformance())('$name', async ({ run }) => {
      const made = run(async () => tested(open(), inTurn(open(), open())))
      await expect(made).resolves.toBeUndefined()
    })
  })
})

describe('the engine of a holder', () => {
  function converse(held: ConversationHold, ...script: Parameters<typeof scriptedTransport>) {
    const effects: string[] = []
    const engine: MessageEngine = createMessageEngine({
      id: 'c',
      storage: held.storage,
      transport: scriptedTransport(...script),
      plugins: [
        toolPlugin({
          durable: 'required',
          defaultApproval: 'approved',
          callTool: ({ toolCallId }) => effects.push(toolCallId),
        }),
      ],
      onError: () => undefined,
    })
    endings.unshift(() => engine.dispose())
    return { engine, effects }
  }

  async function hold(conversations: Conversations): Promise<ConversationHold> {
    const held = await conversations.hold('c')
    if (!held) throw new Error('It is held already.')
    endings.unshift(() => void held.release())
    return held
  }

  const call = callTools({ toolCallId: '1', toolName: 'write', input: {} })

  it('hands all of the conversation to the next one, and to the list', async () => {
    const held = await hold(open())
    const { engine, effects } = converse(held, [call, answer('done')])
    await engine.sendMessage('go')
    expect(effects).toEqual(['1'])
    engine.dispose()
    await held.release()
    const others = open()
    const next = converse(await hold(others), [])
    await next.engine.ready
    expect(next.engine.getState().messages).toEqual(engine.getState().messages)
    expect(await storedConversations(others.storage).list()).toMatchObject([{ id: 'c' }])
  })

  it('runs no call once another one holds the conversation, and shows what that has', async () => {
    const held = await hold(open())
    const { engine, effects } = converse(held, [answer('first'), call, answer('done')])
    await engine.sendMessage('go')
    const others = open()
    const before = await others.storage.read('conversation/c')
    now += 15_000
    await hold(others)
    void engine.sendMessage('late')
    await vi.waitFor(() => expect(held.lost.aborted).toBe(true))
    expect(await others.storage.read('conversation/c')).toEqual(before)
    await untilState(engine, ({ error }) => error?.code === 'taken_over')
    await untilState(engine, ({ messages }) => messages.length === 2)
    expect(effects).toEqual([])
  })
})
