import { mkdirSync } from 'node:fs'
import { chromium, type Page } from 'playwright'
import { createServer } from 'vite'
import { CHROMIUM_ARGS, requireChromium } from '../../../scripts/chromium.ts'

/**
 * Takes pictures of scenes: `node gallery/shoot.ts <folder> [scene …]`. A scene may be followed by
 * `+<what>` to do something first: `asks+deny`, `asks+approve`.
 */
const [folder = 'gallery/shots', ...wanted] = process.argv.slice(2)
const WIDTHS = [360, 768, 1280]

const actions = new Map<string, (page: Page) => Promise<void>>([
  [
    'deny',
    async (page) => {
      await page.getByRole('button', { name: 'Deny' }).last().click()
      await page.getByRole('button', { name: 'Not now' }).click()
    },
  ],
  [
    'always',
    async (page) => {
      await page.getByRole('button', { name: 'Always' }).last().click()
      await page.locator('[data-slot="always-form"]').waitFor()
    },
  ],
  [
    'edit',
    async (page) => {
      await page.getByRole('button', { name: 'Edit', exact: true }).last().click()
      const field = page.getByRole('textbox', { name: 'Input as JSON' })
      await field.press('Control+End')
      await field.press('Backspace')
      await page.getByRole('button', { name: 'Approve with changes' }).click()
    },
  ],
  [
    'form',
    async (page) => {
      await page.getByRole('button', { name: 'Edit', exact: true }).last().click()
      await page.getByRole('textbox', { name: /title/ }).waitFor()
    },
  ],
  [
    'wrong',
    async (page) => {
      await page.getByRole('button', { name: 'Edit', exact: true }).last().click()
      await page.getByRole('textbox', { name: /title/ }).fill('Planning of Q3')
      await page.getByRole('textbox', { name: 'minutes' }).fill('many')
      await page.getByRole('textbox', { name: 'Number 2' }).fill('li')
      await page.getByRole('button', { name: 'Set reminder' }).click()
      await page.getByRole('button', { name: 'Approve with changes' }).click()
    },
  ],
  ['first', (page) => page.locator('[data-slot="approve"]').first().click()],
  ['hover', (page) => page.getByText('Search files').hover()],
  [
    'near',
    async (page) => {
      await page.getByRole('article').first().hover()
      await page.getByRole('article').first().getByRole('button', { name: 'Edit' }).focus()
    },
  ],
  [
    'change',
    async (page) => {
      await page.getByRole('article').first().hover()
      await page.getByRole('article').first().getByRole('button', { name: 'Edit' }).click()
      await page.getByRole('textbox', { name: 'Edit your message' }).waitFor()
    },
  ],
  [
    'remove',
    async (page) => {
      await page.getByRole('button', { name: 'Remove', exact: true }).first().click()
      await page.getByRole('button', { name: 'Edit', exact: true }).last().click()
    },
  ],
  ['rtl', (page) => page.evaluate(() => void (document.documentElement.dir = 'rtl'))],
  ['contrast', (page) => page.emulateMedia({ forcedColors: 'active' })],
  ['approve', (page) => page.locator('[data-slot="approve"]').nth(1).click()],
  [
    'open',
    async (page) => {
      const closed = page.locator('.as-line-row[aria-expanded="false"]')
      while ((await closed.count()) > 0) await closed.first().click()
    },
  ],
])

mkdirSync(folder, { recursive: true })
const server = await createServer({
  configFile: new URL('vite.config.ts', import.meta.url).pathname,
  server: { hmr: false, watch: null },
})
await server.listen(0)
const base = server.resolvedUrls?.local[0] ?? ''
const browser = await chromium.launch({
  executablePath: requireChromium(),
  args: [...CHROMIUM_ARGS],
})

for (const name of wanted) {
  const [scene = '', action] = name.split('+')
  for (const theme of ['light', 'dark']) {
    for (const width of WIDTHS) {
      const page = await browser.newPage({ viewport: { width, height: 900 } })
      page.on('pageerror', (error) => process.stderr.write(`${error.message}\n`))
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type()))
          process.stderr.write(`${message.text()}\n`)
      })
      await page.goto(`${base}?scene=${scene}&theme=${theme}`)
      await page.locator('[data-slot="composer"]').waitFor({ state: 'attached' })
      await page.waitForTimeout(600)
      if (action) await actions.get(action)?.(page)
      const height = await page.locator('[data-slot="scroller"]').evaluate((scroller) => {
        const dock = document.querySelector('[data-slot="dock"]')
        return scroller.scrollHeight + (dock?.clientHeight ?? 0)
      })
      await page.setViewportSize({ width, height: Math.min(Math.max(height, 400), 2_400) })
      await page.waitForTimeout(300)
      await page.screenshot({ path: `${folder}/${name}-${width}-${theme}.png` })
      await page.close()
    }
  }
}
await browser.close()
await server.close()
