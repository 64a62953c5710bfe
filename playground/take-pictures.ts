import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright'
import { createServer } from 'vite'
import { CHROMIUM_ARGS, requireChromium } from '../scripts/chromium.ts'

/** Takes the README's pictures of a turn that waits for a person: `node playground/take-pictures.ts`. */
const FOLDER = join(import.meta.dirname, '../docs/public')
const REQUEST = 'Clean up: archive “Trip to Lisbon” and delete “Scratchpad”'

process.env['ASSENT_DEMO_SPEED'] = '20'
const server = await createServer({
  configFile: join(import.meta.dirname, 'vite.config.ts'),
  logLevel: 'error',
  server: { port: 0, hmr: false, watch: null },
})
await server.listen()
const [url] = server.resolvedUrls?.local ?? []
if (!url) throw new Error('Vite did not say where it serves the page.')
const browser = await chromium.launch({
  executablePath: requireChromium(),
  args: [...CHROMIUM_ARGS],
})

mkdirSync(FOLDER, { recursive: true })
for (const theme of ['light', 'dark'] as const) {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 800 },
    colorScheme: theme,
    reducedMotion: 'reduce',
  })
  await page.goto(url)
  await page.getByRole('button', { name: REQUEST }).click()
  await page.locator('[data-slot="chat"][data-state="paused"]').waitFor()
  const approve = page.getByRole('button', { name: 'Archive', exact: true })
  await approve.click({ trial: true })
  // As it looks to someone who is about to decide, not to type.
  await page.getByRole('group', { name: 'Archive the note “Trip to Lisbon”' }).focus()
  await page.mouse.move(0, 0)
  await page.screenshot({ path: join(FOLDER, `playground-${theme}.png`) })
  await page.close()
}
await browser.close()
await server.close()
