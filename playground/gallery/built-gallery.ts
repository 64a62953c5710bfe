import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser } from 'playwright'
import { build, preview } from 'vite'
import { CHROMIUM_ARGS, requireChromium } from '../../scripts/chromium.ts'

/** The gallery, served, and a browser to look at it with. */
export interface BuiltGallery {
  readonly url: string
  readonly browser: Browser
}

/**
 * Builds the gallery, because it loads several times faster than in dev, serves it on a free port,
 * and leaves nothing behind when `use` is done or has failed.
 */
export async function withBuiltGallery(
  use: (gallery: BuiltGallery) => Promise<void>,
): Promise<void> {
  const outDir = mkdtempSync(join(tmpdir(), 'assent-gallery-'))
  const served = {
    configFile: join(import.meta.dirname, '../vite.config.ts'),
    logLevel: 'error',
    build: { outDir, emptyOutDir: true },
    preview: { port: 0 },
  } as const
  const closing = [async () => rmSync(outDir, { recursive: true })]
  try {
    await build(served)
    const server = await preview(served)
    closing.unshift(() => server.close())
    const [url] = server.resolvedUrls?.local ?? []
    if (url === undefined) throw new Error('Vite did not say where it serves the page.')
    const browser = await chromium.launch({
      executablePath: requireChromium(),
      args: [...CHROMIUM_ARGS],
    })
    closing.unshift(() => browser.close())
    await use({ url, browser })
  } finally {
    for (const close of closing) await close()
  }
}
