import type { Page } from 'playwright'
import { expect, test } from 'vitest'
import { setTabScene } from './two-tabs/tab-scene.ts'

const ROUNDS = process.env['ASSENT_DEEP'] === '1' ? 9 : 3

const scene = setTabScene()

/** Has the model call a tool whose fetch gets no answer, and waits until that has its effect. */
async function startCall(page: Page, id: string): Promise<void> {
  await page.evaluate((text) => tab.engine.sendMessage(text).then(() => undefined), `call ${id}`)
  await page.evaluate((call) => tab.decide(call), id)
  await expect.poll(() => scene.server.effects.has(id)).toBe(true)
}

/** How the last call ended, once its turn is over. */
async function lastCall(page: Page) {
  await page.waitForFunction(() => 'tab' in globalThis)
  await page.evaluate(() =>
    tab.until(({ getState }) => ['error', 'completed'].includes(getState().requestState)),
  )
  return page.evaluate(() =>
    tab.engine
      .getState()
      .messages.flatMap(({ parts }) => parts.filter(({ type }) => type.startsWith('tool-')))
      .at(-1),
  )
}

const INTERRUPTED = {
  state: 'output-error',
  toolMetadata: { assent: { ended: 'interrupted', mayHaveRun: true } },
}

test('a call whose fetch fails because its page is reloaded is interrupted, every time', async () => {
  const page = await scene.openTab()
  scene.server.hold()
  const ends: unknown[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const { requests } = scene.server
    await startCall(page, `call-${round}`)
    await page.reload()
    ends.push(await lastCall(page))
    expect(scene.server.effects.get(`call-${round}`)).toHaveLength(1)
    // The model is not told of an error that it would repeat the call for.
    expect(scene.server.requests).toBe(requests + 1)
  }
  expect(ends).toMatchObject(Array.from({ length: ROUNDS }, () => INTERRUPTED))
})

test('a call whose fetch fails because its page is left is interrupted when it is there again', async () => {
  const page = await scene.openTab()
  scene.server.hold()
  await startCall(page, 'a')
  await page.goto('about:blank')
  await page.goto(`${scene.server.url}/#chat`)
  expect(await lastCall(page)).toMatchObject(INTERRUPTED)
})
