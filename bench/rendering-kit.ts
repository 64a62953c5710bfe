import type { Page } from 'playwright'
import { figure, type Figure } from './figures.ts'
import { median } from './measure.ts'
import { withPage } from './rendering/built-page.ts'
import { KIT_VARIANTS, type KitVariant, type Seen } from './rendering/kit-variants.ts'
import { mainThreadClock, type MainThreadClock } from './rendering/main-thread.ts'
import { scriptingMicroseconds, TRACE_CATEGORIES } from './trace.ts'

const LONG = 3_000
const STREAMED = 2_000
/** Characters that come with each frame. */
const STEP = 24
const REPETITIONS = 3
const PEER: KitVariant = 'useChat, plain v-for'

/** What one round takes of a variant, in milliseconds. */
interface Times {
  readonly mounted: number
  readonly mountedCpu: number
  readonly update: number
  readonly farUpdate: number
  readonly frameCpu: number
  readonly medianFrame: number
  readonly slowFrame: number
}

/**
 * What the times are of, in the order in which they are told, and the most that is promised: of CPU time
 * where that says enough, as the other is that of a machine with others on it.
 */
const TOLD: readonly (readonly [measure: keyof Times, name: string, atMost?: number])[] = [
  ['mounted', `${LONG} messages mounted and laid out`],
  ['mountedCpu', `${LONG} messages mounted, CPU time of the page`, 100],
  ['update', 'one update of a 10 KB Markdown answer, its scripts', 3],
  ['farUpdate', `the same below ${STREAMED} messages`, 3],
  ['frameCpu', 'a whole frame of it, CPU time of the page', 16],
  // With the width of the steps of the clock.
  ['medianFrame', 'a whole frame of it, from frame to frame', 17],
  ['slowFrame', '95th of 100 frames of it'],
]

/**
 * The whole kit in Chromium: mounting long conversations, and a Markdown answer of 10 KB, 24 characters
 * per frame. The peer is a list that shows the text as it is, without Markdown.
 */
export async function measureKit(): Promise<Figure[]> {
  return withPage(async (page) => {
    const clock = await mainThreadClock(await page.context().newCDPSession(page))
    const rounds = new Map<KitVariant, Times[]>(KIT_VARIANTS.map((variant) => [variant, []]))
    // The first round loads what is loaded late; its times do not count.
    for (let round = 0; round <= REPETITIONS; round += 1) {
      for (const variant of KIT_VARIANTS) {
        const times = {
          ...(await mount(page, clock, variant)),
          update: (await stream(page, clock, variant, 2)).farUpdate,
          ...(await stream(page, clock, variant, STREAMED)),
        }
        if (round > 0) rounds.get(variant)?.push(times)
      }
    }
    const seen = new Map<KitVariant, Seen>()
    for (const variant of KIT_VARIANTS) seen.set(variant, await look(page, variant))
    return [...timesOf(rounds), ...countsOf(seen)]
  })
}

function timesOf(rounds: ReadonlyMap<KitVariant, readonly Times[]>): Figure[] {
  const of = (variant: KitVariant, measure: keyof Times): number =>
    median((rounds.get(variant) ?? []).map((times) => times[measure]))
  return TOLD.flatMap(([measure, name, atMost]) =>
    own().map((variant) => {
      // Mounting all of a conversation at once is what `virtual` is for.
      const isPromised = measure !== 'mountedCpu' || variant === 'AsChat, virtual'
      return figure({
        name: `${name}: ${variant}`,
        value: of(variant, measure),
        unit: 'ms',
        peer: { name: PEER, value: of(PEER, measure) },
        ...(isPromised && atMost !== undefined ? { budget: { of: 'value', atMost } } : {}),
      })
    }),
  )
}

function countsOf(seen: ReadonlyMap<KitVariant, Seen>): Figure[] {
  const told: readonly (readonly [string, (shown: Seen) => number, number])[] = [
    ['renders of the list while it streams', ({ listRenders }) => listRenders, 0],
    ['renders of bubbles per frame of it', (shown) => shown.bubbleRenders / shown.tokens, 1],
    ['elements of finished blocks made anew', ({ replacedBlocks }) => replacedBlocks, 0],
    ['times that the page became less high by a line', ({ shrinks }) => shrinks, 0],
  ]
  return told.flatMap(([name, count, atMost]) =>
    own().flatMap((variant) => {
      const shown = seen.get(variant)
      const peer = seen.get(PEER)
      if (!shown || !peer) return []
      const budget = { of: 'value', atMost } as const
      return figure({
        name: `${name}: ${variant}`,
        value: count(shown),
        unit: '×',
        // It has no blocks: it shows the text as it is.
        ...(name.includes('blocks') ? {} : { peer: { name: PEER, value: count(peer) } }),
        budget,
      })
    }),
  )
}

function own(): KitVariant[] {
  return KIT_VARIANTS.filter((variant) => variant !== PEER)
}

async function mount(
  page: Page,
  clock: MainThreadClock,
  variant: KitVariant,
): Promise<Pick<Times, 'mounted' | 'mountedCpu'>> {
  await page.requestGC()
  const before = await clock()
  const mounted = await page.evaluate(([name, count]) => window.kit.mount(name, count), [
    variant,
    LONG,
  ] as const)
  const mountedCpu = (await clock()) - before
  await page.evaluate(() => window.kit.close())
  return { mounted, mountedCpu }
}

/** Streams an answer below a history of so many messages. */
async function stream(
  page: Page,
  clock: MainThreadClock,
  variant: KitVariant,
  history: number,
): Promise<Pick<Times, 'farUpdate' | 'frameCpu' | 'medianFrame' | 'slowFrame'>> {
  const browser = page.context().browser()
  if (!browser) throw new Error('The page has no browser.')
  await open(page, variant, history)
  await page.requestGC()
  await browser.startTracing(page, { categories: TRACE_CATEGORIES })
  const before = await clock()
  const { frames, medianFrame, slowFrame } = await page.evaluate(
    (step) => window.kit.stream(step),
    STEP,
  )
  const frameCpu = ((await clock()) - before) / frames
  const trace = await browser.stopTracing()
  await page.evaluate(() => window.kit.close())
  const farUpdate = scriptingMicroseconds(trace.toString()) / 1_000 / frames
  return { farUpdate, frameCpu, medianFrame, slowFrame }
}

/** The same, looking at the page after every token. */
async function look(page: Page, variant: KitVariant): Promise<Seen> {
  await open(page, variant, STREAMED, true)
  const seen = await page.evaluate((step) => window.kit.look(step), STEP)
  await page.evaluate(() => window.kit.close())
  return seen
}

async function open(
  page: Page,
  variant: KitVariant,
  history: number,
  counts = false,
): Promise<void> {
  await page.evaluate(([name, ...rest]) => window.kit.mount(name, ...rest), [
    variant,
    history,
    counts,
  ] as const)
  await page.evaluate(() => window.kit.begin())
}
