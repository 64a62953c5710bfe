import { type AssentDatabase, openDatabase } from '@assent/node'
import {
  createWorker,
  modelEngine,
  sqliteStores,
  standingPermissions,
  type Worker,
} from '@assent/worker'
import { jsonSchema, tool } from 'ai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scriptedModel, type ModelStep } from '../../node/test/scripted-model.ts'
import { ADA, BEN, openHarness, type ChannelHarness } from '../test/channel-harness.ts'
import type { Person } from '../test/fake-chats.ts'

let harness: ChannelHarness
let database: AssentDatabase
let worker: Worker
let ada: Person
const written: string[] = []

beforeEach(async () => {
  harness = await openHarness()
  database = openDatabase(harness.databasePath)
  ada = harness.api.person(ADA)
  written.length = 0
})

afterEach(async () => {
  await worker.stop({ graceMs: 0 })
  await harness.close()
  database.close()
})

const write = (text: string): ModelStep => [[text, 'write', { text }]]
const shown = () => harness.api.shown(ADA)
const texts = () => shown().map(({ text }) => text)
const labels = (at: number) =>
  shown()
    .at(at)!
    .buttons.flat()
    .map(({ text }) => text)

/** A bot whose model says what a test wants; Ada has allowed the tool for always. */
async function begin(steps: readonly ModelStep[]) {
  const stores = sqliteStores(database, { now: harness.clock.now })
  const permissions = standingPermissions(stores, harness.clock.now)
  const channel = await harness.start({
    permissions,
    allow: [
      { user: ADA, may: ['talk', 'approve'] },
      { user: BEN, may: ['talk'] },
    ],
  })
  worker = createWorker({
    ...stores,
    inbox: harness.inbox,
    createEngine: modelEngine({
      model: scriptedModel([write('one'), 'First.', ...steps]),
      tools: {
        write: tool({
          inputSchema: jsonSchema<{ text: string }>({ type: 'object' }),
          execute: ({ text }) => void written.push(text),
        }),
      },
      toolOptions: { write: { summary: ({ text }) => `Write “${text}”`, risk: 'write' } },
    }),
    onReply: (reply) => channel.reply(reply),
  })
  worker.start()
  ada.says('Write one')
  await harness.until(() => shown().length === 1 && labels(0).includes('Always …'))
  ada.presses(shown()[0]!.id, 'Always …')
  await harness.until(() => labels(0).includes('Always write, any input'))
  ada.presses(shown()[0]!.id, 'Always write')
  await harness.until(() => texts().includes('First.') && labels(0).includes('Revoke'))
  return { stores, permissions }
}

describe('a standing permission', () => {
  it('is revoked by the button of its receipt, which then says so', async () => {
    await begin([write('two'), 'Second.'])
    const receipt = shown()[0]!
    expect(receipt.text).toContain('✓ Always approved by Ada')
    const query = ada.presses(receipt.id, 'Revoke')
    await harness.until(
      () => receipt.buttons.length === 0 && harness.api.answerOf(query) !== undefined,
    )
    expect(harness.api.answerOf(query)?.text).toBe("Revoked. I'll ask again.")
    expect(receipt.text).toContain("Revoked. I'll ask again.")
    ada.says('Write two')
    await harness.until(() => shown().length === 3 && labels(2).includes('Approve'))
    expect(written).toEqual(['one'])
  })

  it('is listed by /permissions, with what it covers, and revoked there', async () => {
    await begin([write('two'), 'Second.'])
    ada.says('Write two')
    await harness.until(() => texts().includes('Second.'))
    ada.says('/permissions')
    await harness.until(() => shown().length === 4)
    const list = shown()[3]!
    expect(list.text).toMatch(
      /^Standing permissions in this conversation\. I don't ask before these:\n\n1\. write: every call\nGiven .* UTC\. Used once\.$/,
    )
    ada.presses(list.id, 'Revoke 1')
    await harness.until(() => list.buttons.length === 0)
    expect(list.text).toBe('No standing permissions in this conversation.')
    const late = ada.presses(shown()[0]!.id, 'Revoke')
    await harness.until(() => shown()[0]!.buttons.length === 0)
    await harness.until(() => harness.api.answerOf(late) !== undefined)
    expect(harness.api.answerOf(late)?.text).toBe('This permission has ended already.')
    expect(shown()[0]!.text).toContain('Revoked.')
  })

  it('is revoked once the message under way is done, which is told at once', async () => {
    const { stores } = await begin([])
    const [{ conversationId } = { conversationId: '' }] = await harness.tasks()
    const held = await stores.conversations.hold(conversationId)
    const receipt = shown()[0]!
    const query = ada.presses(receipt.id, 'Revoke')
    await harness.until(() => harness.api.answerOf(query) !== undefined)
    expect(harness.api.answerOf(query)).toEqual({
      text: "Revoking. What has started goes on; I'll ask before the next call. /stop ends the message now.",
      isAlert: true,
    })
    expect(labels(0)).toEqual(['Revoke'])
    await held?.release()
    await harness.until(() => receipt.buttons.length === 0)
    expect(receipt.text).toContain('Revoked.')
  })

  it('is revoked by those who may decide, and by its own buttons', async () => {
    const { permissions } = await begin([])
    const ben = harness.api.person(BEN)
    ben.says('/permissions')
    await harness.until(() => harness.api.shown(BEN).length === 1)
    expect(harness.api.shown(BEN)[0]?.text).toBe('No standing permissions in this conversation.')
    const [revoke] = shown()[0]!.buttons.flat()
    const forged = ben.forges(harness.api.shown(BEN)[0]!.id, revoke!.callback_data)
    await harness.until(() => harness.api.answerOf(forged) !== undefined)
    expect(harness.api.answerOf(forged)?.isAlert).toBe(true)
    const [{ conversationId } = { conversationId: '' }] = await harness.tasks()
    expect((await permissions.list(conversationId)).map(({ status }) => status)).toEqual([
      'standing',
    ])
  })
})

it('a bot that cannot read permissions does not offer to', async () => {
  worker = createWorker({
    ...sqliteStores(database),
    createEngine: () => {
      throw new Error('There is none.')
    },
  })
  await harness.start()
  ada.says('/permissions')
  ada.says('/help')
  await harness.until(() => texts().length === 2)
  expect(texts()[0]).toBe("I don't know /permissions. Send /help for what I know.")
  expect(texts()[1]).not.toContain('/permissions')
})
