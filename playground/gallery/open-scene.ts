import type { Page } from 'playwright'

/** A scene, and how it is to be seen. */
export interface SceneView {
  scene: string
  theme: 'light' | 'dark'
  /** The parameters of the address: `dir`, `locale`, `density`. */
  also?: Readonly<Record<string, string>>
}

/** Opens a scene without what is around it, and waits until nothing of it is on its way any more. */
export async function openScene(page: Page, url: string, view: SceneView): Promise<void> {
  const { scene, theme, also = {} } = view
  const open = new Set<unknown>()
  page.on('request', (request) => open.add(request))
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
  const query = new URLSearchParams({ scene, theme, bare: '1', ...also })
  await page.goto(new URL(`gallery.html?${query}`, url).href)
  await page.locator('.stage[data-ready]').waitFor()
  // What came may ask for more, and colours of code are found when the page has nothing else to do.
  for (let quiet = 0; quiet < 3; quiet = open.size > 0 ? 0 : quiet + 1) await settle(page)
}

/** Two frames, a moment without work, and the end of all that moves by time and does not move for ever. */
export function settle(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    await document.fonts.ready
    await frame()
    await frame()
    await new Promise((resolve) => requestIdleCallback(resolve, { timeout: 1_000 }))
    for (const animation of document.getAnimations()) {
      const { endTime } = animation.effect?.getComputedTiming() ?? {}
      if (animation.timeline === document.timeline && endTime !== Infinity) animation.finish()
    }
  })
}
