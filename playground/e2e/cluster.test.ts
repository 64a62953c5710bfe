import type { Page } from 'playwright'
import { expect, inject, test } from 'vitest'
import { startEmbedded } from '../../packages/postgres/test/embedded-server.ts'
import { startCluster, type Cluster, type ClusterProcess } from '../cluster/cluster.ts'
import { setScene } from './scene.ts'
import { seededRandom } from './seeded-random.ts'
import { randomWord } from './visit.ts'

const isSoak = process.env['ASSENT_SOAK'] === '1'
const isDeep = isSoak || process.env['ASSENT_DEEP'] === '1'
const CRASHES = isSoak ? 60 : isDeep ? 6 : 2
/** Every run crashes the same servers at the same moments. */
const SEED = 20_261_124
const MOMENTS = ['decided', 'before', 'after'] as const

let cluster: Cluster

const scene = setScene(async () => {
  const database = await startEmbedded({ name: 'assent-e2e-cluster-' })
  cluster = await startCluster({
    databaseUrl: database.url,
    outDir: inject('builtPage').outDir,
    env: { ASSENT_DEMO_SPEED: '8' },
  })
  const close = async (): Promise<void> => {
    await cluster.close()
    await database.stop()
  }
  return { url: cluster.front.url, close }
})

const servers = (): readonly ClusterProcess[] =>
  cluster.processes.filter(({ role }) => role === 'server')

/** Opens a conversation from the list. */
async function openListed(page: Page, title: string): Promise<void> {
  const listed = page
    .getByRole('navigation', { name: 'Conversations' })
    .getByRole('listitem')
    .filter({ hasText: title })
  await listed.getByRole('button', { name: title }).first().click()
}

/** Says yes, once all of the card was on the screen. */
async function approve(page: Page): Promise<void> {
  const button = page.locator('[data-slot="ask"] [data-slot="approve"]').last()
  await expect
    .poll(async () => {
      await button.scrollIntoViewIfNeeded()
      return button.isEnabled()
    })
    .toBe(true)
  await button.click()
}

const report = (word: string) =>
  `Send a report about the launch to ada@example.org saying “${word}”`

test('two browsers at two servers: one takes up what the other asked, decides, and stops', async () => {
  const one = await scene.visit({ kept: 'server' })
  const two = await scene.visit({ kept: 'server' })
  const word = randomWord()
  await one.say(report(word))
  await one.until('paused')
  await openListed(two.page, 'Send a report about the launch')
  await two.until('paused')
  await approve(two.page)
  await two.until('completed')
  await one.until('completed')
  expect(cluster.front.sent.get(word)).toBe(1)

  await one.say('Write a long answer about asking before acting')
  await one.page.locator('[data-slot="chat"][data-state="processing"]').waitFor()
  await two.page.locator('[data-slot="chat"][data-state="processing"]').waitFor()
  await two.page.getByRole('button', { name: 'Stop', exact: true }).click()
  await one.until('aborted')
  await two.until('aborted')
})

test(
  `an approval runs once or says why not, over ${CRASHES} crashes of servers`,
  async () => {
    const random = seededRandom(SEED)
    const here = await scene.visit({ kept: 'server' })
    const { page } = here
    page.setDefaultTimeout(60_000)
    const ends: { state: string | null; ran: number; said: string }[] = []
    for (let count = 0; count < CRASHES; count++) {
      const word = randomWord()
      await here.say(report(word))
      await here.until('paused')
      const moment = MOMENTS[Math.floor(random() * MOMENTS.length)]
      const crashed = Promise.withResolvers<void>()
      const crash = async (): Promise<void> => {
        cluster.front.onReport = () => undefined
        // Whichever has the run, and the connection of the page, or one of them.
        const [first, second] = servers()
        const doomed = random() < 0.5 ? [first, second] : [first]
        await Promise.all(doomed.flatMap((one) => (one ? cluster.crash(one) : [])))
        crashed.resolve()
      }
      cluster.front.onReport = (now) => (now === moment ? void crash() : undefined)
      await approve(page)
      if (moment === 'decided') await crash()
      await crashed.promise
      await untilOver(page)
      const call = page.locator('[data-tool="send_report"]').last()
      ends.push({
        state: await call.getAttribute('data-state'),
        ran: cluster.front.sent.get(word) ?? 0,
        said: await call.innerText(),
      })
    }
    const isTrue = ({ state, ran, said }: (typeof ends)[number]) =>
      state === 'success'
        ? ran === 1
        : state === 'interrupted' && ran <= 1 && said.includes('may or may not have taken effect')
    expect(ends.filter((end) => !isTrue(end))).toEqual([])
    forgetConnections(here.complaints)
  },
  CRASHES * 60_000 + 60_000,
)

test('servers are replaced one by one while a conversation goes on', async () => {
  const here = await scene.visit({ kept: 'server' })
  for (const server of servers()) {
    const word = randomWord()
    await here.say(report(word))
    await here.until('paused')
    await cluster.replace(server)
    await approve(here.page)
    await untilOver(here.page)
    expect(cluster.front.sent.get(word)).toBe(1)
  }
  forgetConnections(here.complaints)
}, 180_000)

/** Waits for the end of the turn. An answer that was cut is asked for again, as a person does. */
async function untilOver(page: Page): Promise<void> {
  const chat = page.locator('[data-slot="chat"]')
  for (;;) {
    await page
      .locator('[data-slot="chat"]:is([data-state="completed"], [data-state="error"])')
      .waitFor()
    if ((await chat.getAttribute('data-state')) === 'completed') return
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.locator('[data-slot="chat"]:not([data-state="error"])').waitFor()
  }
}

/** The browser tells of the connections that it could not have, and the page what it could not store meanwhile. */
function forgetConnections(complaints: string[]): void {
  const isOfConnection = (text: string) =>
    /WebSocket|ERR_|Failed to (fetch|load resource)|There is no connection to the server/.test(text)
  expect(complaints.filter((text) => !isOfConnection(text))).toEqual([])
  complaints.splice(0)
}
