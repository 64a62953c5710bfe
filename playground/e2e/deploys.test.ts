import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { CHROMIUM_ARGS, requireChromium } from '../../scripts/chromium.ts'
import { MOMENTS, startFront, type Front } from './deploys/front.ts'
import { seededRandom } from './seeded-random.ts'
import { randomWord } from './visit.ts'

const isSoak = process.env['ASSENT_SOAK'] === '1'
const DEPLOYS = isSoak ? 100 : 6
/** How long the server is away at most, in milliseconds. */
const AWAY_MS = isSoak ? 30_000 : 1_500
/** Every run is away for the same times. */
const SEED = 20_261_123

const folder = await mkdtemp(join(tmpdir(), 'assent-deploys-'))
let front: Front
let browser: Browser
beforeAll(async () => {
  ;[front, browser] = await Promise.all([
    startFront(inject('builtPage').outDir, join(folder, 'assent.db')),
    chromium.launch({ executablePath: requireChromium(), args: [...CHROMIUM_ARGS] }),
  ])
})
afterAll(async () => {
  await browser?.close()
  await front?.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

/** What the page shows of a report in the end, and how often it was sent. */
interface End {
  readonly state: string | null
  readonly ran: number
  readonly said: string
}

/** It ran once, or the page says that nobody knows. */
function isTrue({ state, ran, said }: End): boolean {
  if (state === 'success') return ran === 1
  return state === 'interrupted' && ran <= 1 && said.includes('may or may not have taken effect')
}

/** What the page says of the latest report. */
const stateOf = (page: Page) =>
  page.locator('[data-tool="send_report"]').last().getAttribute('data-state')
const chatState = (page: Page) => page.locator('[data-slot="chat"]').getAttribute('data-state')

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

/** Waits for the end of the turn. An answer that was cut is asked for again, as a person does. */
async function untilOver(page: Page): Promise<number> {
  let helped = 0
  for (;;) {
    await page
      .locator('[data-slot="chat"]:is([data-state="completed"], [data-state="error"])')
      .waitFor()
    if ((await chatState(page)) === 'completed') return helped
    // An approval that nothing has come of is for the page to send.
    expect(await stateOf(page)).toMatch(/^(success|interrupted)$/)
    helped += 1
    await front.deployed()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.locator('[data-slot="chat"]:not([data-state="error"])').waitFor()
  }
}

test(
  `each approval runs once or says why not, over ${DEPLOYS} deploys`,
  async () => {
    const random = seededRandom(SEED)
    const page = await browser.newPage()
    page.setDefaultTimeout(120_000)
    await page.addInitScript(() => localStorage.setItem('assent-kept', 'browser'))
    const ends: End[] = []
    let helped = 0
    for (let count = 0; count < DEPLOYS; count++) {
      if (count % 10 === 0) await page.goto(front.url)
      const word = randomWord()
      const composer = page.getByRole('textbox', { name: 'Message' })
      await composer.fill(`Send a report about the launch to ada@example.org saying “${word}”`)
      await composer.press('Enter')
      await page.locator('[data-slot="chat"][data-state="paused"]').waitFor()
      front.deploy(MOMENTS[count % MOMENTS.length] ?? MOMENTS[0], Math.round(random() * AWAY_MS))
      await approve(page)
      await front.deployed()
      helped += await untilOver(page)
      ends.push({
        state: await stateOf(page),
        ran: front.effects.get(word) ?? 0,
        said: await page.locator('[data-tool="send_report"]').last().innerText(),
      })
    }
    const counts = Map.groupBy(ends, ({ state }) => state)
    const told = [...counts].map(([state, { length }]) => `${length} ${state}`).join(', ')
    process.stdout.write(`\n${DEPLOYS} deploys: ${told}; ${helped} answers were asked for again.\n`)
    expect(ends.filter((end) => !isTrue(end))).toEqual([])
    expect(counts.get('success')?.length).toBeGreaterThan(0)
  },
  isSoak ? 6 * 3_600_000 : 600_000,
)
