import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { z } from 'zod'
import { startKillableBrowser, type KillableBrowser } from './killable-browser.ts'
import { previewPlayground, type RunningPlayground } from './playground.ts'
import { seededRandom } from './seeded-random.ts'
import { randomWord } from './visit.ts'

const isDeep = process.env['ASSENT_DEEP'] === '1'
const isSoak = process.env['ASSENT_SOAK'] === '1'
/** Every run kills at the same moments. */
const SEED = 20_261_121
/** How long a turn takes, from its message to its end, with some room; in milliseconds. */
const TURN_MS = 1_800

let playground: RunningPlayground
let browser: KillableBrowser
beforeAll(async () => {
  ;[playground, browser] = await Promise.all([
    previewPlayground(inject('builtPage'), { ASSENT_DEMO_SPEED: '200' }),
    startKillableBrowser(),
  ])
})
afterAll(async () => {
  await browser?.close()
  await playground?.close()
})

const outbox = z.object({ reports: z.array(z.looseObject({ body: z.string() })) })

/** One turn with a tool of the page and one of the server, both of which ask. */
interface Turn {
  readonly title: string
  readonly body: string
  page: Page
  /** Kills the page. */
  crash: () => Promise<void>
  /** How often the note was written: counted here before the page goes on. */
  writes: number
  /** Asked when an effect was counted, before the page is told. */
  onWrite: () => Promise<void>
  /** The bodies of the requests for an answer. */
  readonly requests: string[]
}

/** Opens the page and counts what its tools do, outside of it. */
async function openPage(turn: Turn, url: string): Promise<void> {
  const { page, crash } = await browser.openPage()
  Object.assign(turn, { page, crash })
  page.setDefaultTimeout(15_000)
  await page.route('**/written', async (route) => {
    if (route.request().postData()?.includes(turn.title)) {
      turn.writes++
      await turn.onWrite()
    }
    await route.fulfill({ status: 204 }).catch(() => {})
  })
  page.on('request', (request) => {
    if (request.url().endsWith('/api/chat')) turn.requests.push(request.postData() ?? '')
  })
  await page.addInitScript(() => localStorage.setItem('assent-kept', 'browser'))
  await page.addInitScript(() => {
    const { setItem } = Storage.prototype
    Storage.prototype.setItem = function (key: string, value: string) {
      setItem.call(this, key, value)
      if (key !== 'assent-notes') return
      // The tool goes on when its effect was counted.
      const request = new XMLHttpRequest()
      request.open('POST', '/written', false)
      request.send(value)
    }
  })
  await page.goto(url)
  await page.locator('[data-slot="chat"]').waitFor()
}

const stateOf = ({ page }: Turn) => page.locator('[data-slot="chat"]').getAttribute('data-state')
/** The calls that wait for a person. */
const cards = ({ page }: Turn) => page.locator('[data-tool][data-state="awaiting-approval"]')
const approveButtons = (turn: Turn) => cards(turn).getByRole('button', { name: /^(?:Write|Send)/ })

/**
 * How many decisions the page has stored. A receipt is shown at once, before: who dies between the
 * two is asked again, and nothing has run.
 */
const storedDecisions = ({ page, title, body }: Turn) =>
  page.evaluate(
    async (words) => {
      const result = <T>(request: IDBRequest<T>) =>
        new Promise<T>((resolve, reject) => {
          request.addEventListener('success', () => resolve(request.result))
          request.addEventListener('error', () => reject(request.error))
        })
      const databases = await indexedDB.databases()
      if (!databases.some(({ name }) => name === 'assent-playground')) return 0
      const database = await result(indexedDB.open('assent-playground'))
      const decided = new Set<unknown>()
      // What a record looks like is the storage's own affair.
      const look = (value: unknown): void => {
        if (typeof value !== 'object' || value === null) return
        const { toolCallId, approval } = value as { toolCallId?: unknown; approval?: object }
        const isOfTurn = () => words.some((word) => JSON.stringify(value).includes(word))
        if (approval && 'approved' in approval && isOfTurn()) decided.add(toolCallId)
        for (const inner of Object.values(value)) look(inner)
      }
      for (const name of database.objectStoreNames) {
        const store = database.transaction(name).objectStore(name)
        for (const record of await result(store.getAll())) look(record)
      }
      database.close()
      return decided.size
    },
    [title, body],
  )

/** How often the server's tool ran for this turn. */
async function reports({ body }: Turn): Promise<number> {
  const response = await fetch(`${playground.url}/api/outbox`)
  const sent = outbox.parse(await response.json()).reports
  return sent.filter((report) => report.body.includes(body)).length
}

/** Opens the page of a turn that was cut off, and waits until all that is stored of it is there. */
async function openAgain(turn: Turn, address: string): Promise<void> {
  await openPage(turn, address)
  const list = turn.page.getByRole('navigation', { name: 'Conversations' })
  await list
    .getByRole('listitem')
    .or(list.getByText('Your conversations will appear here'))
    .first()
    .waitFor()
  const isStored = (await list.locator('[aria-current]').count()) > 0
  if (isStored) await turn.page.getByRole('article').first().waitFor()
}

/** Does what a person does until the turn is over, whatever state it is found in. */
async function finish(turn: Turn): Promise<void> {
  const { page } = turn
  await expect
    .poll(
      async () => {
        const state = await stateOf(turn)
        if (state === 'paused') {
          await approveButtons(turn)
            .first()
            .click({ timeout: 3_000 })
            .catch(() => {})
        } else if (state === 'error') {
          await page
            .getByRole('button', { name: 'Try again' })
            .click({ timeout: 1_000 })
            .catch(() => {})
        }
        return state
      },
      { timeout: 30_000, interval: 100 },
    )
    .toMatch(/^(completed|idle)$/)
}

async function beginTurn(): Promise<Turn> {
  const turn: Turn = {
    title: randomWord(),
    body: randomWord(),
    page: undefined as never,
    crash: undefined as never,
    writes: 0,
    onWrite: async () => {},
    requests: [],
  }
  await openPage(turn, playground.url)
  return turn
}

/** Says what opens the turn, and approves; what a death cuts off is of no account. */
function act(turn: Turn): Promise<void> {
  const { page, title, body } = turn
  const work = async () => {
    const composer = page.getByRole('textbox', { name: 'Message' })
    await composer.fill(
      `Write a note called “${title}” saying “x”, and send a report to ada@example.org saying “${body}”`,
    )
    await composer.press('Enter')
    await approveButtons(turn).first().click()
    await approveButtons(turn).first().click()
    await page.locator('[data-slot="chat"][data-state="completed"]').waitFor()
  }
  return work().catch(() => {})
}

/** What must hold at the end, whenever the page died. */
async function expectValidEnd(turn: Turn, decided: number): Promise<void> {
  const { page, title } = turn
  // Nothing ran twice.
  expect(turn.writes).toBeLessThanOrEqual(1)
  expect(await reports(turn)).toBeLessThanOrEqual(1)
  const isStored = (await page.getByRole('article').count()) > 0
  // One that died before its message was stored had asked nothing of anyone.
  expect(isStored || decided + turn.writes + turn.requests.length === 0).toBe(true)
  expect(await cards(turn).count()).toBe(0)
  const ends = await page
    .locator('[data-tool]')
    .evaluateAll((calls) =>
      calls.map((call) => [call.getAttribute('data-tool'), call.getAttribute('data-state')]),
    )
  const runs = { write_note: turn.writes, send_report: await reports(turn) }
  // What is said of a call is true: it ran, or nobody knows.
  const untrue = ends.filter(([tool, state]) => {
    if (state === 'success') return runs[tool === 'write_note' ? tool : 'send_report'] !== 1
    return state !== 'interrupted' && state !== 'error'
  })
  expect(untrue).toEqual([])
  // Each call that the model was told of has its answer.
  const last = turn.requests.at(-1) ?? title
  expect(last).not.toMatch(/"state":"(?:input-available|approval-requested)"/)
  expect(last).toContain(title)
}

const random = seededRandom(SEED)
const moments = Array.from({ length: isSoak ? 40 : isDeep ? 12 : 2 }, (_, index) => ({
  ms: Math.round(random() * TURN_MS),
  what: index % 2 === 0 ? ('the page' as const) : ('the browser' as const),
}))

test.each(moments)(
  'loses and repeats nothing when $what is killed after $ms ms',
  async ({ ms, what }) => {
    const turn = await beginTurn()
    const acting = act(turn)
    await new Promise((resolve) => {
      setTimeout(resolve, ms)
    })
    const address = turn.page.url()
    const decided = await storedDecisions(turn)
    await (what === 'the page' ? turn.crash() : browser.killBrowser())
    await acting
    await openAgain(turn, address)
    await expect.poll(() => stateOf(turn)).not.toBe('processing')
    // What was decided and stored is not asked again.
    expect(await cards(turn).count()).toBeLessThanOrEqual(2 - decided)
    await finish(turn)
    await expectValidEnd(turn, decided)
    await turn.page.close()
  },
)

test.each(['the page', 'the browser'] as const)(
  'says that nobody knows when %s is killed between what a tool did and its result',
  async (what) => {
    const turn = await beginTurn()
    const written = Promise.withResolvers<void>()
    // The tool has done its work, and does not return.
    turn.onWrite = () => {
      written.resolve()
      return new Promise(() => {})
    }
    const acting = act(turn)
    await written.promise
    const address = turn.page.url()
    await (what === 'the page' ? turn.crash() : browser.killBrowser())
    await acting
    turn.onWrite = async () => {}
    await openAgain(turn, address)
    await expect
      .poll(() => turn.page.locator('[data-tool="write_note"]').getAttribute('data-state'))
      .toBe('interrupted')
    expect(turn.requests).toHaveLength(1)
    await finish(turn)
    await expectValidEnd(turn, 2)
    expect(turn.writes).toBe(1)
    await turn.page.close()
  },
)
