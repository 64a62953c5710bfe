import type { Page } from 'playwright'
import { expect, test } from 'vitest'
import { roleOf, setTabScene } from './two-tabs/tab-scene.ts'

const ROUNDS = process.env['ASSENT_DEEP'] === '1' ? 20 : 5
const CALLS_PER_ROUND = 5
const CALLS = ROUNDS * CALLS_PER_ROUND

const scene = setTabScene()

const stateOf = (page: Page) =>
  page.evaluate(() => {
    const { messages, requestState, queue, confirmations } = tab.engine.getState()
    return { messages, requestState, queue, confirmations }
  })
const send = (page: Page, text: string) =>
  page.evaluate(
    (said) => tab.engine.sendMessage(said).then(({ requestState }) => requestState),
    text,
  )
const untilRequestState = (page: Page, wanted: string) =>
  page.evaluate((state) => tab.until(({ getState }) => getState().requestState === state), wanted)
const untilHolder = (page: Page) =>
  page.evaluate(() => tab.until(({ role }) => role() === 'holder'))
const partsOf = (page: Page) =>
  page.evaluate(() =>
    tab.engine
      .getState()
      .messages.flatMap(({ parts }) => parts.filter(({ type }) => type.startsWith('tool-'))),
  )

test('both show the same, and act on the same', async () => {
  const [holder, mirror] = await scene.openTwo()
  expect(await send(mirror, 'call a')).toBe('paused')
  expect(await stateOf(mirror)).toEqual(await stateOf(holder))
  expect(await mirror.evaluate(() => tab.decide('a'))).toBe('yes')
  await untilRequestState(mirror, 'completed')
  await untilRequestState(holder, 'completed')
  expect(await stateOf(mirror)).toEqual(await stateOf(holder))
  expect(scene.server.effects).toEqual(new Map([['a', [await holder.evaluate(() => tab.opened)]]]))
  expect(scene.server.requests).toBe(2)
})

test(`${CALLS} calls that both approve at the same time run exactly once each`, async () => {
  const [holder, mirror] = await scene.openTwo()
  const answers = new Set<string>()
  for (let round = 0; round < ROUNDS; round++) {
    const ids = Array.from({ length: CALLS_PER_ROUND }, (_, index) => `${round}-${index}`)
    await send(round % 2 === 0 ? holder : mirror, `call ${ids.join(' ')}`)
    await Promise.all([holder, mirror].map((page) => untilRequestState(page, 'paused')))
    const decided = await Promise.all(
      [holder, mirror].map((page) =>
        page.evaluate(
          (calls) => Promise.all([...calls, ...calls].map((id) => tab.decide(id))),
          ids,
        ),
      ),
    )
    for (const answer of decided.flat()) answers.add(answer)
    await Promise.all([holder, mirror].map((page) => untilRequestState(page, 'completed')))
  }
  const runs = [...scene.server.effects.values()].map(({ length }) => length)
  expect(runs).toEqual(Array.from({ length: CALLS }, () => 1))
  expect([...answers].filter((one) => one !== 'busy')).toEqual(['yes'])
  expect(await stateOf(mirror)).toEqual(await stateOf(holder))
})

test(`of ${CALLS} calls that one approves and the other denies, the first decision wins`, async () => {
  const [holder, mirror] = await scene.openTwo()
  for (let round = 0; round < ROUNDS; round++) {
    const ids = Array.from({ length: CALLS_PER_ROUND }, (_, index) => `${round}-${index}`)
    await send(holder, `call ${ids.join(' ')}`)
    await untilRequestState(mirror, 'paused')
    const [yes = [], no = []] = await Promise.all([
      holder.evaluate((calls) => Promise.all(calls.map((id) => tab.decide(id, 'yes'))), ids),
      mirror.evaluate(
        (calls) => Promise.all(calls.toReversed().map((id) => tab.decide(id, 'no'))),
        ids,
      ),
    ])
    await Promise.all([holder, mirror].map((page) => untilRequestState(page, 'completed')))
    for (const [index, id] of ids.entries()) {
      const won = [yes[index], no.toReversed()[index]].filter(
        (one) => one === 'yes' || one === 'no',
      )
      expect(won).toHaveLength(1)
      expect(scene.server.effects.get(id)?.length ?? 0).toBe(won[0] === 'yes' ? 1 : 0)
    }
  }
})

const deaths: [string, (page: Page) => Promise<unknown>][] = [
  ['is closed', (page) => page.close({ runBeforeUnload: false })],
  [
    'crashes',
    async (page) => {
      const session = await scene.devtools(page)
      const crashed = page.waitForEvent('crash')
      // It has no answer.
      session.send('Page.crash').catch(() => undefined)
      await crashed
    },
  ],
]

test.each(deaths)(
  'when the holder’s page %s while a tool runs, the other shows it interrupted',
  async (_how, kill) => {
    const [holder, mirror] = await scene.openTwo()
    scene.server.hold()
    await send(mirror, 'call a')
    await mirror.evaluate(() => tab.decide('a'))
    await expect.poll(() => scene.server.effects.size).toBe(1)
    const watched = mirror.evaluate(() => {
      tab.states.length = 0
      return tab
        .until(({ role }) => role() === 'holder')
        .then(() => tab.until(({ getState }) => getState().requestState === 'error'))
        .then(() => tab.states)
    })
    await kill(holder)
    // Nothing flashes: it goes from what was shown to what is.
    expect(await watched).not.toContain('idle')
    expect(await partsOf(mirror)).toMatchObject([
      { state: 'output-error', toolMetadata: { assent: { ended: 'interrupted' } } },
    ])
    expect(scene.server.effects.get('a')).toHaveLength(1)
    // A third tab finds the new holder.
    const third = await scene.openTab()
    expect(await roleOf(third)).toBe('mirror')
    expect(await stateOf(third)).toEqual(await stateOf(mirror))
  },
)

test('a call that waits when the holder’s page is closed is decided in the other, and runs there', async () => {
  const [holder, mirror] = await scene.openTwo()
  await send(holder, 'call a b')
  await untilRequestState(mirror, 'paused')
  const closed = holder.close({ runBeforeUnload: false })
  // Its last click and the end of the holder race.
  expect(await mirror.evaluate(() => tab.decide('a', 'no'))).toBe('no')
  await closed
  await untilHolder(mirror)
  expect(await mirror.evaluate(() => tab.decide('b'))).toBe('yes')
  await untilRequestState(mirror, 'completed')
  expect(scene.server.effects).toEqual(new Map([['b', [await mirror.evaluate(() => tab.opened)]]]))
})

test('a holder that the person leaves for another page gives the conversation up', async () => {
  const [holder, mirror] = await scene.openTwo()
  await send(holder, 'call a')
  await holder.goto('about:blank')
  await untilHolder(mirror)
  await holder.goBack()
  await holder.waitForFunction(() => 'tab' in globalThis)
  await untilRequestState(holder, 'paused')
  expect(await roleOf(holder)).toBe('mirror')
  expect(await holder.evaluate(() => tab.decide('a'))).toBe('yes')
  await untilRequestState(mirror, 'completed')
  expect(scene.server.effects.get('a')).toEqual([await mirror.evaluate(() => tab.opened)])
})
