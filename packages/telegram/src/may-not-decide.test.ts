import { openDatabase } from '@assent/node'
import { createWorker, modelEngine, sqliteStores } from '@assent/worker'
import { jsonSchema, tool } from 'ai'
import { expect, it, onTestFinished } from 'vitest'
import { scriptedModel } from '../../node/test/scripted-model.ts'
import { ADA, BEN, openHarness } from '../test/channel-harness.ts'

it('a decision that the worker does not take is not shown as one, until somebody decides who may', async () => {
  const harness = await openHarness()
  const database = openDatabase(harness.databasePath)
  const wiped: string[] = []
  const channel = await harness.start({
    allow: [ADA, BEN].map((user) => ({ user, may: ['talk', 'approve'] as const })),
  })
  const worker = createWorker({
    ...sqliteStores(database, { now: harness.clock.now }),
    inbox: harness.inbox,
    createEngine: modelEngine({
      model: scriptedModel([[['1', 'wipe', { what: 'disk' }]], 'Not wiped.']),
      tools: {
        wipe: tool({
          inputSchema: jsonSchema<{ what: string }>({ type: 'object' }),
          execute: ({ what }) => void wiped.push(what),
        }),
      },
      toolOptions: { wipe: { summary: ({ what }) => `Wipe ${what}`, risk: 'write' } },
    }),
    onReply: (reply) => channel.reply(reply),
    mayDecide: ({ outcome }) => outcome === 'no',
  })
  onTestFinished(async () => {
    await worker.stop({ graceMs: 0 })
    await harness.close()
    database.close()
  })
  worker.start()
  const ada = harness.api.person(ADA)
  const shown = () => harness.api.shown(ADA)
  ada.says('Wipe the disk')
  await harness.until(() => (shown()[0]?.buttons.length ?? 0) > 0)
  ada.presses(shown()[0]!.id, 'Approve')
  await harness.until(() => (shown()[1]?.buttons.length ?? 0) > 0)
  const [first, again] = shown()
  expect(first?.text).toMatch(
    /^✗ Not accepted: the decision by Ada, .*\nYou may not decide about wipe\./,
  )
  expect(first?.text).not.toContain('✓')
  expect(first?.buttons).toEqual([])
  expect(again?.text).toContain('I have to ask again: You may not decide about wipe.')
  ada.presses(again!.id, 'Deny')
  await harness.until(() => shown().some(({ text }) => text === 'Not wiped.'))
  await harness.until(() => again!.buttons.length === 0)
  expect(again!.text).toMatch(/^✗ Denied by Ada/)
  expect(first?.text).toMatch(/^✗ Not accepted/)
  expect(wiped).toEqual([])
})
