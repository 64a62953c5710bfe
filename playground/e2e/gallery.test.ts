import axe from 'axe-core'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { CHROMIUM_ARGS, requireChromium } from '../../scripts/chromium.ts'
import { openScene, type SceneView } from '../gallery/open-scene.ts'
import { previewPlayground, type RunningPlayground } from './playground.ts'

/** Everything in every theme, width and direction takes many minutes. */
const IS_SOAK = process.env['ASSENT_SOAK'] === '1'
const THEMES = ['light', 'dark'] as const
/** Pages that are looked at side by side. */
const AT_ONCE = 2

let browser: Browser
let playground: RunningPlayground
let names: string[]

beforeAll(async () => {
  ;[browser, playground] = await Promise.all([
    chromium.launch({ executablePath: requireChromium(), args: [...CHROMIUM_ARGS] }),
    previewPlayground(inject('builtPage'), {}),
  ])
  const page = await browser.newPage()
  await page.goto(`${playground.url}/gallery.html`)
  const links = page.getByRole('navigation', { name: 'Scenes' }).getByRole('link')
  await links.first().waitFor()
  names = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
  await page.close()
})
afterAll(async () => {
  await browser?.close()
  await playground?.close()
})

/** What axe finds wrong with the page as it is, as sentences. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  return page.evaluate(async () => {
    // @axe-core is put into the page above.
    const results = await (window as never as { axe: typeof axe }).axe.run(document, {
      resultTypes: ['violations'],
    })
    return results.violations.flatMap(({ id, help, nodes }) =>
      nodes.map((node) => `${id}: ${help} at ${node.target.join(' ')}`),
    )
  })
}

/** What sticks out of the page at a side, but for what scrolls by itself. */
function outside(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const scrolls = 'pre, .as-markdown-scroll, .as-table-scroller, .as-hidden'
    const isCut = (element: Element): boolean =>
      element.parentElement !== null &&
      (getComputedStyle(element.parentElement).textOverflow === 'ellipsis' ||
        element.parentElement.closest(scrolls) !== null)
    const wide = [...document.querySelectorAll('.stage *')].filter((element) => {
      const { width, left, right } = element.getBoundingClientRect()
      return width > 0 && (left < -1 || right > innerWidth + 1) && !isCut(element)
    })
    const scroller = document.documentElement
    return [
      ...(scroller.scrollWidth > innerWidth ? [`the page is ${scroller.scrollWidth} wide`] : []),
      ...wide.map((element) => `${element.tagName} ${element.className} sticks out`),
    ]
  })
}

interface Look extends SceneView {
  width: number
}

/** Opens a scene and collects everything that is wrong with it. */
async function lookAt({ width, ...view }: Look): Promise<string[]> {
  const options: BrowserContextOptions = {
    viewport: { width, height: 900 },
    reducedMotion: 'reduce',
  }
  const page = await browser.newPage(options)
  page.setDefaultTimeout(15_000)
  const wrong: string[] = []
  page.on('pageerror', (error) => wrong.push(error.message))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) wrong.push(message.text())
  })
  page.on('request', (request) => {
    const { protocol, origin, href } = new URL(request.url())
    if (protocol.startsWith('http') && origin !== playground.url) wrong.push(`asked for ${href}`)
  })
  try {
    await openScene(page, playground.url, view)
    wrong.push(...(await violations(page)), ...(await outside(page)))
  } catch (error) {
    wrong.push(String(error))
  } finally {
    await page.close()
  }
  const also = new URLSearchParams(view.also).toString()
  return wrong.map((what) => `${view.scene}, ${view.theme}, ${width}px ${also}: ${what}`)
}

/** Looks at all of them, some at once; gives back what is wrong. */
async function lookAtAll(looks: readonly Look[]): Promise<string[]> {
  const left = [...looks]
  const found: string[] = []
  const work = async (): Promise<void> => {
    for (let look = left.shift(); look; look = left.shift()) found.push(...(await lookAt(look)))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return found.toSorted()
}

const sceneNames = (): string[] => names.map((href) => new URLSearchParams(href).get('scene') ?? '')

/** Every scene once: the tests of the components look at all of them with axe, too. */
function sample(): Look[] {
  return sceneNames().map((scene, index) => ({
    scene,
    theme: index % 2 === 0 ? 'dark' : 'light',
    width: [360, 1280, 768, 360][Math.floor(index / 2) % 4] ?? 360,
    also: { dir: index % 3 === 0 ? 'rtl' : 'ltr' },
  }))
}

/** Every scene in every theme, narrow and wider; each comes from right to left in a third of them. */
function everything(): Look[] {
  const looks = sceneNames().flatMap((scene, index) =>
    THEMES.flatMap((theme) =>
      [360, index % 2 === 0 ? 768 : 1280].map((width) => ({ scene, theme, width })),
    ),
  )
  return looks.map((look, index) => ({ ...look, also: { dir: index % 3 === 0 ? 'rtl' : 'ltr' } }))
}

test(
  'every scene is accessible, fits, and complains of nothing',
  async () => {
    const looks = IS_SOAK ? everything() : sample()
    expect(looks.length).toBeGreaterThan(IS_SOAK ? 200 : 50)
    expect(await lookAtAll(looks)).toEqual([])
  },
  IS_SOAK ? 1_800_000 : 600_000,
)

test('what is looked for is seen', async () => {
  const page = await browser.newPage({ viewport: { width: 360, height: 900 } })
  await openScene(page, playground.url, { scene: 'one', theme: 'light' })
  await page.evaluate(() => {
    const stage = document.querySelector('.stage')
    stage?.insertAdjacentHTML(
      'beforeend',
      '<button type="button" style="inline-size: 400px"></button>',
    )
  })
  expect((await violations(page)).join()).toContain('button-name')
  expect((await outside(page)).join()).toContain('BUTTON')
  await page.close()
})

test('code has the colours of either theme in what is built, too', async () => {
  const colours = async (theme: 'light' | 'dark') => {
    const page = await browser.newPage()
    await openScene(page, playground.url, { scene: 'content', theme })
    const read = async () => {
      const found = await page.locator('.as-code code span').evaluateAll((pieces) =>
        pieces.map((piece) => {
          const { color } = getComputedStyle(piece)
          return color === getComputedStyle(piece.closest('pre') ?? piece).color ? 'none' : color
        }),
      )
      return new Set(found)
    }
    // They come when the highlighter is loaded.
    await expect.poll(async () => (await read()).size, { timeout: 20_000 }).toBeGreaterThan(3)
    const found = await read()
    await page.close()
    return found
  }
  const [light, dark] = [await colours('light'), await colours('dark')]
  expect([...light].filter((colour) => colour !== 'none' && dark.has(colour))).toEqual([])
})

test('is reached from the playground, and its switches are in the address', async () => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  await page.goto(playground.url)
  await page.getByRole('link', { name: 'Gallery of the components' }).click()
  await page.getByRole('link', { name: 'Three cards that ask' }).first().click()
  await page.getByRole('group', { name: 'Delete 2 files from reports' }).waitFor()
  await page.getByLabel('Theme').selectOption('dark')
  await page.getByLabel('Language').selectOption('zh-CN')
  await page.getByLabel('Direction').selectOption('rtl')
  await page.getByLabel('Width').selectOption('360')
  await page.getByRole('button', { name: '拒绝' }).first().waitFor()
  expect(await violations(page)).toEqual([])

  const shown = async () => ({
    theme: await page.evaluate(() => document.documentElement.dataset['theme']),
    direction: await page
      .locator('[data-slot="chat"]')
      .evaluate((chat) => getComputedStyle(chat).direction),
    width: await page.locator('[data-slot="chat"]').evaluate((chat) => chat.clientWidth),
  })
  const chosen = { theme: 'dark', direction: 'rtl', width: 360 }
  expect(await shown()).toEqual(chosen)
  await page.reload()
  await page.getByRole('button', { name: '拒绝' }).first().waitFor()
  expect(await shown()).toEqual(chosen)
  await page.close()
})
