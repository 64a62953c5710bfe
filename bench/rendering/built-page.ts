import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import vue from '@vitejs/plugin-vue'
import { chromium, type Page } from 'playwright'
import { build, preview } from 'vite'
import { CHROMIUM_ARGS, requireChromium } from '../../scripts/chromium.ts'
import { SOURCE_CONDITIONS } from '../../vite.config.ts'

/** Builds the page for production, serves it on loopback and opens it in Chromium. */
export async function withPage<RESULT>(use: (page: Page) => Promise<RESULT>): Promise<RESULT> {
  const outDir = await mkdtemp(join(tmpdir(), 'assent-bench-'))
  const root = import.meta.dirname
  const config = { configFile: false, root, logLevel: 'warn' } as const
  try {
    await build({
      ...config,
      mode: 'production',
      plugins: [vue()],
      resolve: { conditions: SOURCE_CONDITIONS },
      build: { outDir, emptyOutDir: true },
    })
    const server = await preview({
      ...config,
      build: { outDir },
      preview: { host: '127.0.0.1', port: 0 },
    })
    const browser = await chromium.launch({
      executablePath: requireChromium(),
      args: [...CHROMIUM_ARGS],
    })
    try {
      const page = await browser.newPage()
      page.on('pageerror', (error) => console.error(error))
      await page.goto(server.resolvedUrls?.local[0] ?? '')
      return await use(page)
    } finally {
      await browser.close()
      await server.close()
    }
  } finally {
    await rm(outDir, { recursive: true, force: true })
  }
}
