import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { withBuiltGallery, type BuiltGallery } from './built-gallery.ts'
import { openScene, settle } from './open-scene.ts'

/**
 * Takes pictures of scenes, of all of them without a name:
 * `node playground/gallery/shoot.ts <folder> [scene …]`. Each in light, dark and forced colours, in
 * three widths, as high as what it shows. A name may be followed by parameters of the address:
 * `asks?dir=rtl&density=compact`.
 */
const [folder = 'shots', ...wanted] = process.argv.slice(2)
const WIDTHS = [360, 768, 1280]
const LOOKS = ['light', 'dark', 'forced'] as const
const HIGHEST = 2_400

await withBuiltGallery(async (gallery) => {
  mkdirSync(folder, { recursive: true })
  for (const name of wanted.length > 0 ? wanted : await allScenes(gallery)) {
    for (const look of LOOKS) for (const width of WIDTHS) await shoot(gallery, name, look, width)
  }
})

async function allScenes({ browser, url }: BuiltGallery): Promise<string[]> {
  const page = await browser.newPage()
  await page.goto(`${url}gallery.html`)
  const links = page.getByRole('navigation', { name: 'Scenes' }).getByRole('link')
  await links.first().waitFor()
  const addresses = await links.evaluateAll((all) => all.map((link) => Reflect.get(link, 'search')))
  await page.close()
  return addresses.map((search) => new URLSearchParams(search).get('scene') ?? '')
}

async function shoot(
  { browser, url }: BuiltGallery,
  name: string,
  look: (typeof LOOKS)[number],
  width: number,
): Promise<void> {
  const [scene = '', query] = name.split('?')
  const page = await browser.newPage({
    viewport: { width, height: 900 },
    reducedMotion: 'reduce',
    forcedColors: look === 'forced' ? 'active' : 'none',
  })
  page.on('pageerror', (error) => process.stderr.write(`${name}: ${error.message}\n`))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()))
      process.stderr.write(`${name}: ${message.text()}\n`)
  })
  const theme = look === 'dark' ? 'dark' : 'light'
  await openScene(page, url, {
    scene,
    theme,
    also: Object.fromEntries(new URLSearchParams(query)),
  })
  await page.setViewportSize({ width, height: Math.min(await heightOf(page), HIGHEST) })
  await settle(page)
  await page.screenshot({ path: join(folder, `${name}-${width}-${look}.png`) })
  await page.close()
}

/** How high the page has to be for nothing in it to scroll. */
function heightOf(page: Page): Promise<number> {
  return page.evaluate(() => {
    const hidden = [...document.querySelectorAll('.as-chat-scroller, .panels')].map(
      ({ scrollHeight, clientHeight }) => scrollHeight - clientHeight,
    )
    return Math.max(400, innerHeight + Math.max(0, ...hidden))
  })
}
