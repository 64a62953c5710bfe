import { type AssentDatabase, openDatabase } from '@assent/node'
import { createWorker, modelEngine, sqliteStores, type Worker } from '@assent/worker'
import { jsonSchema, tool } from 'ai'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { scriptedModel, type ModelStep } from '../../node/test/scripted-model.ts'
import { ADA, BEN, openHarness, type ChannelHarness } from '../test/channel-harness.ts'

let harness: ChannelHarness
let database: AssentDatabase
let worker: Worker | undefined
const written: string[] = []

beforeEach(async () => {
  harness = await openHarness()
  database = openDatabase(harness.databasePath)
  written.length = 0
})

afterEach(async () => {
  await worker?.stop({ graceMs: 0 })
  await harness.close()
  database.close()
})

const texts = (chatId: number) => harness.api.shown(chatId).map(({ text }) => text)
const write = tool({
  inputSchema: jsonSchema<{ text: string }>({ type: 'object' }),
  execute: ({ text }) => {
    written.push(text)
    return 'written'
  },
})

/** A bot and a worker, whose model says what a test wants. */
async function begin(steps: readonly ModelStep[]) {
  const model = scriptedModel(steps)
  const channel = await harness.start({
    allow: [ADA, BEN].map((user) => ({ user, may: ['talk', 'approve'] })),
  })
  worker = createWorker({
    ...sqliteStores(database, { now: harness.clock.now }),
    inbox: harness.inbox,
    concurrency: 1,
    createEngine: modelEngine({
      model,
      tools: { write },
      toolApproval: { write: 'user-approval' },
      toolOptions: { write: { summary: ({ text }) => `Write “${text}”`, risk: 'write' } },
    }),
    onReply: (reply) => channel.reply(reply),
    onError: (error) => harness.errors.push(error),
  })
  worker.start()
  return model
}

const questions = () => harness.api.shown(ADA).filter(({ buttons }) => buttons.length > 0)

it('a message becomes a question, a decision, an effect and an answer', async () => {
  await begin([[['c1', 'write', { text: 'hello' }]], 'It is **written**.'])
  const ada = harness.api.person(ADA)
  ada.says('Write hello')
  await harness.until(() => questions().length === 1)
  expect(questions()[0]?.text).toContain('Write “hello”')
  expect(written).toEqual([])
  ada.presses(questions()[0]!.id, 'Approve')
  await harness.until(() => texts(ADA).includes('It is written.'))
  expect(written).toEqual(['hello'])
  await harness.until(() => questions().length === 0)
  expect(texts(ADA)[0]).toContain('✓ Approved by Ada')
  expect(harness.errors).toEqual([])
})

it('what is denied with words is not done, and the model hears the words', async () => {
  const model = await begin([[['c1', 'write', { text: 'hello' }]], 'I leave it.'])
  const ada = harness.api.person(ADA)
  ada.says('Write hello')
  await harness.until(() => questions().length === 1)
  ada.repliesTo(questions()[0]!.id, 'Not today')
  await harness.until(() => texts(ADA).includes('I leave it.'))
  expect(written).toEqual([])
  expect(JSON.stringify(model.doStreamCalls[1]?.prompt)).toContain('Not today')
})

it('two calls of one step are asked about at once, and run when both are decided', async () => {
  await begin([
    [
      ['c1', 'write', { text: 'one' }],
      ['c2', 'write', { text: 'two' }],
    ],
    'Half of it.',
  ])
  const ada = harness.api.person(ADA)
  ada.says('Write both')
  await harness.until(() => questions().length === 2)
  const [one, two] = questions()
  ada.presses(one!.id, 'Approve')
  await harness.until(() => one!.buttons.length === 0)
  expect(written).toEqual([])
  ada.presses(two!.id, 'Deny')
  await harness.until(() => texts(ADA).includes('Half of it.'))
  expect(written).toEqual(['one'])
  expect(harness.api.shown(ADA)).toHaveLength(3)
})

it('what is allowed for always is not asked about again', async () => {
  await begin([
    [['c1', 'write', { text: 'one' }]],
    'First.',
    [['c2', 'write', { text: 'two' }]],
    'Second.',
  ])
  const ada = harness.api.person(ADA)
  ada.says('Write one')
  await harness.until(() => questions().length === 1)
  const [question] = questions()
  ada.presses(question!.id, 'Always')
  await harness.until(() => question!.buttons.length === 3)
  ada.presses(question!.id, 'Always write')
  await harness.until(() => texts(ADA).includes('First.'))
  ada.says('Write two')
  await harness.until(() => texts(ADA).includes('Second.'))
  expect(written).toEqual(['one', 'two'])
  expect(harness.api.shown(ADA)).toHaveLength(3)
})

it('several messages in a row are answered in order, and a stop drops the one that waits', async () => {
  await begin([[['c1', 'write', { text: 'never' }]], 'Two.', 'Three.'])
  const ada = harness.api.person(ADA)
  for (const text of ['one', 'two', 'three']) ada.says(text)
  await harness.until(() => questions().length === 1)
  ada.says('/stop')
  await harness.until(() => texts(ADA).includes('Three.'))
  await harness.until(() => questions().length === 0)
  const said = texts(ADA)
  expect(said[0]).toContain('No longer waits for you')
  expect(said.filter((text) => text.startsWith('Two') || text.startsWith('Three'))).toEqual([
    'Two.',
    'Three.',
  ])
  expect(said).toContain("Stopped: I won't answer 1 message.")
  expect(written).toEqual([])
})

it('a chat that is held up gets its answer later, by another attempt, and once', async () => {
  await begin(['Done.', 'For Ben.'])
  const { api, clock } = harness
  const [ada, ben] = [api.person(ADA), api.person(BEN)]
  api.flood(ADA, 120)
  ada.says('hello')
  await harness.until(() => harness.errors.length === 1)
  expect(harness.errors[0]).toMatchObject({ name: 'ReplyError', retryAfterMs: 120_000 })
  ben.says('hello')
  await harness.until(() => texts(BEN).includes('For Ben.'))
  clock.advance(125_000)
  // The worker looks by its own clock.
  await harness.until(() => texts(ADA).length > 0)
  expect(texts(ADA)).toEqual([expect.stringMatching(/ couldn't tell you until now\.\nDone\.$/)])
  // The sign of typing may be what was refused first, and nothing is sent then.
  const refused = api.calls.filter(({ status }) => status === 429).map(({ method }) => method)
  expect(refused).not.toEqual([])
  expect(new Set(refused).size).toBe(refused.length)
})

it('an answer to what was done gets through an outage that is longer than all attempts', async () => {
  await begin([[['c1', 'write', { text: 'hello' }]], 'It is written.', 'The second one.'])
  const { api, clock, errors } = harness
  const ada = api.person(ADA)
  ada.says('Write hello')
  await harness.until(() => questions().length === 1)
  api.fail({ method: 'sendMessage', by: 502, times: 15 })
  ada.presses(questions()[0]!.id, 'Approve')
  ada.says('And then?')
  const isTold = () => texts(ADA).some((text) => text.includes('The second one.'))
  await vi.waitUntil(
    () => {
      clock.advance(5_000)
      return isTold()
    },
    { interval: 20, timeout: 30_000 },
  )
  expect(written).toEqual(['hello'])
  const said = texts(ADA)
  expect(said.filter((text) => text.includes("couldn't finish"))).toEqual([])
  const [first, second] = ['It is written.', 'The second one.'].map((text) =>
    said.findIndex((one) => one.includes(text)),
  )
  expect(first).toBeLessThan(second ?? 0)
  expect(said[first ?? 0]).toContain("couldn't tell you until now")
  expect(new Set(errors.map((error) => (error as Error).name))).toEqual(new Set(['ReplyError']))
})
