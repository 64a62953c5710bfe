import type { Page } from 'playwright'
import { figure, type Figure } from './figures.ts'
import { median } from './measure.ts'
import { withPage } from './rendering/built-page.ts'
import { KIT_VARIANTS, type KitVariant, type Shown } from './rendering/kit-variants.ts'
import { scriptingMicroseconds, TRACE_CATEGORIES } from './trace.ts'

const LONG = 3_000
const STREAMED = 2_000
const STEP = 24
const REPETITIONS = 5
const PEER: KitVariant = 'useChat, plain v-for'
/** A frame of 60 per second, with the width of the clock's steps. */
const FRAME_MS = 17

interface Streamed extends Shown {
  /** Scripting per update, in milliseconds. */
  readonly update: number
}

/**
 * The whole kit in Chromium: mounting long conversations, and a Markdown answer of 10 KB, 24 characters
 * per frame. The peer is a list that shows the text as it is, without Markdown.
 */
export async function measureKit(): Promise<Figure[]> {
  return withPage(async (page) => {
    const mounted = new Map<KitVariant, number[]>()
    const alone = new Map<KitVariant, Streamed[]>()
    const long = new Map<KitVariant, Streamed[]>()
    let shrinks = 0
    // The first round loads what is loaded late, and looks at heights; its times do not count.
    for (let round = 0; round <= REPETITIONS; round += 1) {
      for (const variant of KIT_VARIANTS) {
        const time = await mount(page, variant, LONG)
        const short = await stream(page, variant, 2, round === 0)
        const far = await stream(page, variant, STREAMED, round === 0)
        if (variant !== PEER) shrinks += short.shrinks + far.shrinks
        if (round === 0) continue
        add(mounted, variant, time)
        add(alone, variant, short)
        add(long, variant, far)
      }
    }
    const mountOf = (variant: KitVariant) => median(mounted.get(variant) ?? [])
    const updateOf = (from: typeof alone, variant: KitVariant) =>
      median((from.get(variant) ?? []).map(({ update }) => update))
    const frameOf = (variant: KitVariant, which: 'medianFrame' | 'slowFrame') =>
      median((long.get(variant) ?? []).map((shown) => shown[which]))
    const own = KIT_VARIANTS.filter((variant) => variant !== PEER)
    return [
      ...own.map((variant) =>
        figure({
          name: `${LONG} messages mounted: ${variant}`,
          value: mountOf(variant),
          unit: 'ms',
          peer: { name: PEER, value: mountOf(PEER) },
          ...(variant === 'AsChat, virtual' ? { budget: { of: 'value', atMost: 100 } } : {}),
        }),
      ),
      ...own.map((variant) =>
        figure({
          name: `one update of a 10 KB Markdown answer: ${variant}`,
          value: updateOf(alone, variant),
          unit: 'ms',
          peer: { name: PEER, value: updateOf(alone, PEER) },
          budget: { of: 'value', atMost: 3 },
        }),
      ),
      ...own.map((variant) =>
        figure({
          name: `the same below ${STREAMED} messages: ${variant}`,
          value: updateOf(long, variant),
          unit: 'ms',
          peer: { name: PEER, value: updateOf(long, PEER) },
          budget: { of: 'value', atMost: 3 },
        }),
      ),
      ...own.flatMap((variant) =>
        (['medianFrame', 'slowFrame'] as const).map((which) =>
          figure({
            name: `${which === 'medianFrame' ? 'a frame' : '95th of 100 frames'} of it: ${variant}`,
            value: frameOf(variant, which),
            unit: 'ms',
            peer: { name: PEER, value: frameOf(PEER, which) },
            ...(which === 'medianFrame' ? { budget: { of: 'value', atMost: FRAME_MS } } : {}),
          }),
        ),
      ),
      figure({
        name: 'times that the page became less high by more than a line',
        value: shrinks,
        unit: '×',
        budget: { of: 'value', atMost: 0 },
      }),
    ]
  })
}

async function mount(page: Page, variant: KitVariant, history: number): Promise<number> {
  await page.requestGC()
  const time = await page.evaluate(([name, count]) => window.kit.mount(name, count), [
    variant,
    history,
  ] as const)
  await page.evaluate(() => window.kit.close())
  return time
}

async function stream(
  page: Page,
  variant: KitVariant,
  history: number,
  looks: boolean,
): Promise<Streamed> {
  const browser = page.context().browser()
  if (!browser) throw new Error('The page has no browser.')
  await page.evaluate(([name, count]) => window.kit.mount(name, count), [variant, history] as const)
  await page.evaluate(() => window.kit.begin())
  await page.requestGC()
  await browser.startTracing(page, { categories: TRACE_CATEGORIES })
  const shown = await page.evaluate(([step, isLooking]) => window.kit.stream(step, isLooking), [
    STEP,
    looks,
  ] as const)
  const trace = await browser.stopTracing()
  await page.evaluate(() => window.kit.close())
  return { ...shown, update: scriptingMicroseconds(trace.toString()) / 1_000 / shown.frames }
}

function add<KEY, VALUE>(map: Map<KEY, VALUE[]>, key: KEY, value: VALUE): void {
  map.set(key, [...(map.get(key) ?? []), value])
}
