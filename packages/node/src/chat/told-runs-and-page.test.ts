import { isToolUIPart } from 'ai'
import { expect, onTestFinished, test } from 'vitest'
import { ask, startAsking } from '../../test/asking-server.ts'
import { connectEngine } from '../../test/chat-client.ts'
import type { ModelStep } from '../../test/scripted-model.ts'
import { openDatabase } from '../sqlite/open-database.ts'

/** A server that asks nobody, with a page that has an engine. */
async function startPage(steps: readonly ModelStep[], execute?: (to: string) => unknown) {
  const database = openDatabase(':memory:')
  onTestFinished(() => database.close())
  const server = await startAsking(steps, { toolApproval: {}, database }, execute)
  const page = connectEngine(server.api)
  const lastCalls = () => page.engine.getState().messages.at(-1)?.parts.filter(isToolUIPart)
  const untold = () => database.sqlite.prepare('SELECT count(*) AS n FROM untold_run').get()?.['n']
  return { ...server, ...page, lastCalls, untold }
}

const toBob = [['2', 'send', { to: 'bob' }]] satisfies ModelStep

test('a page that regenerates an answer has its calls in the new one, and none runs again', async () => {
  const page = await startPage([ask, 'Sent.', 'Well, sent.', toBob, 'Sent, too.'])
  await page.engine.sendMessage('Send it to Ada')
  const other = await page.engine.regenerate()
  expect(other).toMatchObject({ requestState: 'completed' })
  expect(page.lastCalls()).toMatchObject([{ toolCallId: '1', output: 'receipt 1' }])
  expect(page.text()).toBe('Well, sent.')
  expect(page.untold()).toBe(1)
  // What the page posts next tells that it has it.
  await page.engine.sendMessage('And to Bob')
  expect(page.lastCalls()).toMatchObject([{ toolCallId: '2', output: 'receipt 2' }])
  expect(page.untold()).toBe(1)
  expect(page.effects).toEqual(['send ada', 'send bob'])
})

test('a page that has the failure of a call posts it in words that tell so', async () => {
  const page = await startPage([ask, 'It failed.', 'Really.'], () => {
    throw new Error('no such address')
  })
  await page.engine.sendMessage('Send it to Ada')
  expect(page.untold()).toBe(1)
  await page.engine.sendMessage('Really?')
  expect(page.untold()).toBe(0)
  expect(page.effects).toEqual(['send ada'])
})

test('a page that stopped while a call ran asks for another answer, and the call does not run again', async () => {
  const begun = Promise.withResolvers<void>()
  const receipt = Promise.withResolvers<string>()
  const page = await startPage([ask, 'Sent.', 'Sent before.'], () => {
    begun.resolve()
    return receipt.promise
  })
  const stopped = page.engine.sendMessage('Send it to Ada')
  await begun.promise
  await page.engine.abort()
  await stopped
  receipt.resolve('a receipt')
  await page.engine.regenerate()
  expect(page.lastCalls()).toMatchObject([{ toolCallId: '1', output: 'a receipt' }])
  expect(page.effects).toEqual(['send ada'])
})
