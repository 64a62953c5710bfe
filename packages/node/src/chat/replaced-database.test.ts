import { createHash, createHmac } from 'node:crypto'
import { renameSync, rmSync } from 'node:fs'
import { isToolUIPart, type UIMessage } from 'ai'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  answered,
  ask,
  asked,
  callsOf,
  decided,
  errorOf,
  question,
  saidIn,
  startAsking,
} from '../../test/asking-server.ts'
import { readEvents } from '../../test/raw-chat.ts'
import { createScratch } from '../../test/scratch.ts'
import type { ModelStep } from '../../test/scripted-model.ts'
import { SECRET } from '../../test/serve-chat.ts'
import { openDatabase, type AssentDatabase } from '../sqlite/open-database.ts'
import type { ChatHandlerOptions } from './chat-options.ts'
import { memoryLedger } from './memory-ledger.ts'
import { sentJson } from './sent-json.ts'
import { sqliteLedger } from './sqlite-ledger.ts'

let folder: string
const file = (name = 'data.db') => `${folder}/${name}`

beforeEach(() => {
  const { path, remove } = createScratch()
  folder = path
  onTestFinished(remove)
})

function open(name?: string): AssentDatabase {
  const database = openDatabase(file(name))
  onTestFinished(() => database.close())
  return database
}

function deleteFile(): void {
  for (const end of ['', '-wal', '-shm']) rmSync(file() + end, { force: true })
}

/** The conversation once it was approved and its call ran, with the server and its database gone then. */
async function ranBefore(): Promise<UIMessage[]> {
  const database = open()
  const server = await startAsking([ask, 'Sent.'], { database })
  const messages = decided(await asked(server), true)
  await (await server.chat.post(messages)).text()
  expect(server.effects).not.toEqual([])
  database.close()
  return messages
}

const again = [['2', 'send', { to: 'ada' }]] satisfies ModelStep

/** What a server has run once it got a yes that was asked for elsewhere, its model asked anew, and a person said yes. */
async function effectsOnceAsked(messages: UIMessage[], more: Partial<ChatHandlerOptions>) {
  const server = await startAsking([again, 'Sent.'], more)
  const response = await server.chat.post(messages)
  const events = readEvents(response.clone())
  const paused = await answered(messages, response)
  expect(saidIn(await events.rest())).toEqual(['unknown', 'tool-output-error'])
  expect(callsOf(paused)).toMatchObject([
    { toolCallId: '1', errorText: expect.stringContaining('the approval holds no more') },
    { toolCallId: '2', state: 'approval-requested' },
  ])
  expect(server.effects).toEqual([])
  expect(JSON.stringify(server.model.doStreamCalls[0]?.prompt)).toContain('call it again')
  await (await server.chat.post(decided(paused, true))).text()
  return server.effects
}

describe('an approval that was asked for with another database', () => {
  test('runs nothing once the file was deleted, and is asked for anew', async () => {
    const messages = await ranBefore()
    deleteFile()
    expect(await effectsOnceAsked(messages, { database: open() })).toEqual(['send ada'])
  })

  test('runs nothing once another file has taken its place', async () => {
    const messages = await ranBefore()
    const other = open('other.db')
    await sqliteLedger(other).begin({ owner: '', conversationId: 'else' }, 'x')
    other.close()
    deleteFile()
    renameSync(file('other.db'), file())
    expect(await effectsOnceAsked(messages, { database: open() })).toEqual(['send ada'])
  })

  test('runs nothing beside a process that still has the deleted file open', async () => {
    const old = await startAsking([ask, 'Sent.'], { database: open() })
    const messages = decided(await asked(old), true)
    deleteFile()
    expect(await effectsOnceAsked(messages, { database: open() })).toEqual(['send ada'])
    await (await old.chat.post(messages)).text()
    expect(old.effects).toEqual(['send ada'])
  })

  test('runs nothing after a restart of a server that kept its ledger in memory', async () => {
    const before = await startAsking([ask, 'Sent.'], { ledger: memoryLedger() })
    const messages = decided(await asked(before), true)
    await (await before.chat.post(messages)).text()
    expect(await effectsOnceAsked(messages, { ledger: memoryLedger() })).toEqual(['send ada'])
  })

  test('runs no call of its step, nor one that its rules have approved', async () => {
    const two = [...ask, ['2', 'send', { to: 'bob' }]] satisfies ModelStep
    const toolApproval: ChatHandlerOptions['toolApproval'] = {
      send: ({ to }: { to: string }) => (to === 'ada' ? 'user-approval' : 'approved'),
    }
    const before = await startAsking([two, 'Sent.'], { database: open(), toolApproval })
    const messages = decided(await asked(before), true)
    deleteFile()
    const after = await startAsking(['Not sent.'], { database: open(), toolApproval })
    const told = await answered(messages, await after.chat.post(messages))
    expect(callsOf(told)).toMatchObject([
      { toolCallId: '1', state: 'output-error' },
      { toolCallId: '2', state: 'output-error' },
    ])
    expect([before.effects, after.effects]).toEqual([[], []])
  })

  test('is a denial where it denies', async () => {
    const before = await startAsking([ask], { database: open() })
    const messages = decided(await asked(before), false)
    deleteFile()
    const after = await startAsking(['Well.'], { database: open() })
    const told = await answered(messages, await after.chat.post(messages))
    expect(callsOf(told)).toMatchObject([{ state: 'output-denied' }])
    expect(after.effects).toEqual([])
  })
})

describe('an approval that was asked for with the same database', () => {
  test('runs its call after a restart, and in another process that has the file open', async () => {
    const first = open()
    const before = await startAsking([ask], { database: first })
    const messages = decided(await asked(before), true)
    first.close()
    const one = await startAsking(['Sent.'], { database: open() })
    const two = await startAsking(['Sent.'], { database: open() })
    const posts = [one, two].map(async ({ chat }) => (await chat.post(messages)).text())
    for (const text of await Promise.all(posts)) expect(text).toContain('receipt 1')
    expect([...one.effects, ...two.effects]).toEqual(['send ada'])
  })

  test('cannot be told from one after a backup: a copy has the name of its database', async () => {
    const database = open()
    const copy = openDatabase(':memory:')
    onTestFinished(() => copy.close())
    database.sqlite.exec(`VACUUM INTO '${file('copy.db')}'`)
    const identity = await sqliteLedger(database).identity()
    expect(await sqliteLedger(open('copy.db')).identity()).toBe(identity)
    expect(await sqliteLedger(copy).identity()).not.toBe(identity)
  })
})

describe('an approval that an earlier version asked for', () => {
  const digest = (text: string) => createHash('sha256').update(text).digest('base64url')

  /** The seal of a question as it was made before it named a store. */
  function oldSeal(part: ReturnType<typeof callsOf>[number], at: number, secret: string): string {
    const { toolCallId, input, approval } = part
    const call = [approval?.id, toolCallId, part.type.slice('tool-'.length)]
    const facts = [...call, digest(JSON.stringify([toolCallId])), digest(sentJson(input))]
    const time = at.toString(36)
    const scope = JSON.stringify(['', 'chat'])
    const text = JSON.stringify(['assent-approval-2', scope, 'p', time, ...facts])
    const code = createHmac('sha256', secret).update(text).digest('base64url')
    return `assent1.p.${time}.${code}`
  }

  const withOldSeals = (messages: readonly UIMessage[], at: number, secret = SECRET) => {
    const copy = structuredClone([...messages])
    for (const part of copy.at(-1)?.parts.filter(isToolUIPart) ?? []) {
      Object.assign(part.approval ?? {}, { signature: oldSeal(part, at, secret) })
    }
    return copy
  }

  test('names no database, and is asked for anew', async () => {
    const database = open()
    const before = await startAsking([ask], { database })
    const messages = decided(await asked(before), true)
    expect(await effectsOnceAsked(withOldSeals(messages, before.clock.now), { database })).toEqual([
      'send ada',
    ])
  })

  test('is refused where it is forged', async () => {
    const server = await startAsking([ask], { database: open() })
    const messages = decided(await asked(server), true)
    const forged = withOldSeals(messages, server.clock.now, 'a secret of somebody else')
    const refused = await errorOf(await server.chat.post(forged))
    expect(refused).toMatchObject({ status: 400, code: 'bad-approval' })
  })
})

test('a database without its name lets nothing be asked or run', async () => {
  const database = open()
  const server = await startAsking([ask], { database })
  database.sqlite.exec('DELETE FROM ledger_store')
  const refused = await errorOf(await server.chat.post(question))
  expect(refused).toMatchObject({ status: 500 })
})
