import { type AssentDatabase, openDatabase } from '@assent/node'
import { createWorker, modelEngine, sqliteStores, type Worker } from '@assent/worker'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  strictProvider,
  type ProviderRefusal,
  type StrictProvider,
} from '../../node/test/strict-provider.ts'
import { ADA, BEN, openHarness, type ChannelHarness } from '../test/channel-harness.ts'
import type { Person } from '../test/fake-chats.ts'

let harness: ChannelHarness
let database: AssentDatabase
let worker: Worker
let provider: StrictProvider
let ada: Person

beforeEach(async () => {
  harness = await openHarness()
  database = openDatabase(harness.databasePath)
  ada = harness.api.person(ADA)
})

afterEach(async () => {
  await worker.stop({ graceMs: 0 })
  await harness.close()
  database.close()
})

const shown = () => harness.api.shown(ADA)
const texts = () => shown().map(({ text }) => text)
const labels = (at: number) =>
  shown()
    .at(at)!
    .buttons.flat()
    .map(({ text }) => text)
const voice = (caption?: string) =>
  ada.sendsFile({
    name: 'voice.ogg',
    type: 'audio/ogg',
    bytes: new Uint8Array(8),
    ...(caption !== undefined && { caption }),
  })

/** A bot whose model takes pictures and texts only. */
async function begin(
  refuse?: (messages: string) => ProviderRefusal | undefined,
  options: Parameters<ChannelHarness['start']>[0] = {},
): Promise<void> {
  provider = await strictProvider(refuse)
  const channel = await harness.start({
    allow: [
      { user: ADA, may: ['talk', 'approve'] },
      { user: BEN, may: ['approve'] },
    ],
    ...options,
  })
  worker = createWorker({
    ...sqliteStores(database, { now: harness.clock.now }),
    inbox: harness.inbox,
    retryBaseMs: 1,
    createEngine: modelEngine({ model: provider.model, settings: { maxRetries: 0 } }),
    onReply: (reply) => channel.reply(reply),
    onError: () => undefined,
  })
  worker.start()
}

describe('a message with a file that the model cannot read', () => {
  it('is told of, and can be sent without the file', async () => {
    await begin()
    voice('Listen')
    await harness.until(() => shown().length === 1)
    expect(texts()[0]).toContain('The model can’t read voice.ogg (audio/ogg)')
    expect(labels(0)).toEqual(['Try again', 'Send without the file', 'New conversation'])
    const query = ada.presses(shown()[0]!.id, 'without')
    await harness.until(() => texts().includes('said 1') && shown()[0]!.buttons.length === 0)
    expect(harness.api.answerOf(query)?.text).toBe('Trying without the file.')
    expect(provider.asked[0]).toContain('Listen')
    expect(provider.asked[0]).not.toContain('voice.ogg')
    const again = ada.forges(shown()[0]!.id, 'task:101:0:without')
    await harness.until(() => harness.api.answerOf(again) !== undefined)
    expect(await harness.tasks()).toHaveLength(2)
  })

  it('can be tried again, and is told of again', async () => {
    await begin()
    voice()
    await harness.until(() => shown().length === 1)
    expect(labels(0)).toEqual(['Try again', 'New conversation'])
    ada.presses(shown()[0]!.id, 'Try again')
    await harness.until(() => shown().length === 2 && labels(0).length === 0)
    expect(labels(1)).toEqual(['Try again', 'New conversation'])
    ada.presses(shown()[1]!.id, 'New conversation')
    await harness.until(() => texts().some((text) => text.startsWith('New conversation.')))
    ada.says('Hello')
    await harness.until(() => texts().some((text) => text.startsWith('said')))
    const ids = (await harness.tasks()).map(({ conversationId }) => conversationId)
    expect(new Set(ids).size).toBe(2)
  })

  it('is for those who may talk to say again, and for nobody else', async () => {
    await begin()
    voice()
    await harness.until(() => shown().length === 1)
    const ben = harness.api.person(BEN)
    ben.says('/status')
    await harness.until(() => harness.api.shown(BEN).length === 1)
    const query = ben.forges(harness.api.shown(BEN)[0]!.id, 'task:101:0:again')
    await harness.until(() => harness.api.answerOf(query) !== undefined)
    expect(harness.api.answerOf(query)).toEqual({ text: "You can't do this here.", isAlert: true })
    expect(await harness.tasks()).toHaveLength(1)
  })

  it('is refused when it comes where the bot knows what the model takes', async () => {
    await begin(undefined, { acceptedMedia: ['image/*', 'application/pdf'] })
    voice('Listen')
    await harness.until(() => shown().length === 1)
    expect(texts()[0]).toBe(
      "I can't read voice.ogg, so I skipped this message. I can read images, PDF files.",
    )
    expect(await harness.tasks()).toEqual([])
    expect(harness.api.calls.filter(({ method }) => method === 'getFile')).toEqual([])
  })
})

it('a model that cannot be reached is told of once, and the answer comes when it is back', async () => {
  let left = 6
  await begin(() => (left-- > 0 ? { status: 503, message: 'down' } : undefined))
  ada.says('Hello')
  await vi.waitUntil(
    () => {
      harness.clock.advance(60_000)
      return texts().some((text) => text.startsWith('said'))
    },
    { interval: 20, timeout: 30_000 },
  )
  expect(texts()).toEqual([
    "I can't reach the AI model right now. Your message is kept, and I'll answer as soon as I can.",
    expect.stringMatching(/^said/),
  ])
})
