import type { Page } from 'playwright'
import { figure, type Figure } from './figures.ts'
import { median } from './measure.ts'
import { withPage } from './rendering/built-page.ts'
import { VARIANTS, type Variant } from './rendering/rendering-page.ts'
import { scriptingMicroseconds, TRACE_CATEGORIES } from './trace.ts'

const HISTORIES = [0, 500, 2_000]
const BUDGET_HISTORY = 2_000
const DELTAS = 1_000
const WARMUPS = 2
const REPETITIONS = 7
const UNIT = 'µs/chunk'
/** What it costs to pump the chunks and to read them, which is in every other variant too. */
const FLOOR: Variant = 'no chat'
const KIT: Variant = 'useMessage and AsBubbleList'

/** CPU time per chunk by variant. */
type Costs = Map<Variant, number>

/**
 * A list of bubbles in Chromium while one answer streams, a chunk per macrotask.
 *
 * Measured is all scripting of the page (with its garbage collection), not style, layout and paint.
 * The variants take turns in one page, and must end with the same text on it.
 */
export async function measureRendering(): Promise<Figure[]> {
  return withPage(async (page) => {
    const figures: Figure[] = []
    for (const history of HISTORIES)
      figures.push(...figuresOf(history, await compare(page, history)))
    return figures
  })
}

async function compare(page: Page, history: number): Promise<Costs> {
  const samples = new Map<Variant, number[]>(VARIANTS.map((variant) => [variant, []]))
  let expected: readonly string[] | undefined
  for (let round = 0; round < WARMUPS + REPETITIONS; round += 1) {
    for (const variant of VARIANTS) {
      const { microseconds, texts } = await stream(page, variant, history)
      expected ??= texts
      expectSameTexts(variant, texts, expected)
      if (round >= WARMUPS) samples.get(variant)?.push(microseconds / DELTAS)
    }
  }
  return new Map([...samples].map(([variant, values]) => [variant, median(values)]))
}

async function stream(
  page: Page,
  variant: Variant,
  history: number,
): Promise<{ microseconds: number; texts: string[] }> {
  const browser = page.context().browser()
  if (!browser) throw new Error('The page has no browser.')
  await page.evaluate(([name, ...lengths]) => window.rendering.open(name, ...lengths), [
    variant,
    history,
    DELTAS,
  ] as const)
  await page.requestGC()
  await browser.startTracing(page, { categories: TRACE_CATEGORIES })
  await page.evaluate(() => window.rendering.stream())
  const trace = await browser.stopTracing()
  const texts = await page.evaluate(() => window.rendering.close())
  return { microseconds: scriptingMicroseconds(trace.toString()), texts }
}

/** All show the same bubbles; the kit's own bubbles may say more, such as who speaks. */
function expectSameTexts(
  variant: Variant,
  texts: readonly string[],
  expected: readonly string[],
): void {
  if (variant === FLOOR) return
  const isSame = (text: string, index: number): boolean =>
    variant === KIT ? text.includes(expected[index] ?? '\0') : text === expected[index]
  if (texts.length === expected.length && texts.every(isSame)) return
  throw new Error(`${variant} shows another text than ${VARIANTS[0]}.`)
}

function figuresOf(history: number, costs: Costs): Figure[] {
  const cost = (variant: Variant): number => costs.get(variant) ?? Number.NaN
  const name = (variant: string): string => `list of ${history}, one streaming: ${variant}`
  const against = (ours: Variant, peer: Variant, atLeast?: number): Figure =>
    figure({
      name: name(ours),
      value: cost(ours),
      unit: UNIT,
      peer: { name: `@ai-sdk/vue ${peer}`, value: cost(peer) },
      ...(atLeast === undefined ? {} : { budget: { of: 'ratio', atLeast } }),
    })
  return [
    against('useMessage', 'useChat', history === BUDGET_HISTORY ? 50 : undefined),
    against('useMessage', 'useChat, throttle 16 ms'),
    against('useMessage, published per chunk', 'useChat'),
    against(KIT, 'useChat'),
    figure({ name: name('no chat, pumping alone'), value: cost(FLOOR), unit: UNIT }),
  ]
}
