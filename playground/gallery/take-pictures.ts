import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { withBuiltGallery, type BuiltGallery } from './built-gallery.ts'
import { openScene } from './open-scene.ts'

/** Takes the pictures of the docs, in light and dark: `node playground/gallery/take-pictures.ts`. */
const FOLDER = join(import.meta.dirname, '../../docs/public/gallery')
const MARGIN = 16

interface Picture {
  name: string
  scene: string
  width: number
  /** How high the page is; without `of`, all of it is in the picture. */
  height: number
  /** What is in the picture. */
  of?: string
  /** The rest is cut off, in pixels. */
  highest?: number
}

const PICTURES: readonly Picture[] = [
  { name: 'ask', scene: 'asks', width: 640, height: 1_200, of: '[data-slot="ask"]' },
  {
    name: 'diff',
    scene: 'preview-p1',
    width: 640,
    height: 1_400,
    of: '[data-slot="ask"]',
    highest: 376,
  },
  { name: 'edit', scene: 'form', width: 560, height: 1_400, of: '[data-slot="ask"]', highest: 720 },
  { name: 'always', scene: 'always-form', width: 600, height: 1_400, of: '[data-slot="ask"]' },
  { name: 'tray', scene: 'tray-open', width: 600, height: 600 },
  {
    name: 'receipts',
    scene: 'lines',
    width: 640,
    height: 1_800,
    of: 'article[data-role="assistant"]',
    highest: 580,
  },
  { name: 'audit-trail', scene: 'audit', width: 680, height: 1_400, of: '.as-audit' },
  {
    name: 'policies',
    scene: 'policies',
    width: 640,
    height: 1_400,
    of: '[data-slot="policy-list"]',
  },
  { name: 'conversations', scene: 'conversations', width: 840, height: 560 },
  { name: 'composer', scene: 'attachments', width: 640, height: 640, of: '[data-slot="composer"]' },
  { name: 'chat', scene: 'one', width: 640, height: 560 },
]

await withBuiltGallery(async (gallery) => {
  mkdirSync(FOLDER, { recursive: true })
  for (const picture of PICTURES) {
    await take(gallery, picture, 'light')
    await take(gallery, picture, 'dark')
  }
})

async function take(
  { browser, url }: BuiltGallery,
  picture: Picture,
  theme: 'light' | 'dark',
): Promise<void> {
  const { name, scene, width, height, of, highest = height } = picture
  const page = await browser.newPage({ viewport: { width, height }, reducedMotion: 'reduce' })
  await openScene(page, url, { scene, theme })
  const box = of === undefined ? null : await page.locator(of).first().boundingBox()
  await page.screenshot({
    path: join(FOLDER, `${name}-${theme}.png`),
    ...(box && {
      clip: {
        x: Math.max(0, box.x - MARGIN),
        y: Math.max(0, box.y - MARGIN),
        width: Math.min(width, box.width + 2 * MARGIN),
        height: Math.min(highest, box.height + 2 * MARGIN),
      },
    }),
  })
  await page.close()
}
