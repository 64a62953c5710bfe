import { chromium, type Browser, type BrowserContext, type BrowserContextOptions } from 'playwright'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { CHROMIUM_ARGS, requireChromium } from '../../scripts/chromium.ts'
import type { RunningPlayground } from './playground.ts'
import { visit, type Visit } from './visit.ts'

/** The playground and a browser, for all tests of a file. */
export interface Scene {
  /** Where the playground is served. */
  readonly url: string
  /** Opens the page as somebody who was never here, with these settings. */
  visit(options?: VisitOptions): Promise<Visit>
}

/** The settings of a browser, and where it keeps its conversations; default: by itself. */
export interface VisitOptions extends BrowserContextOptions {
  readonly kept?: 'server' | 'browser'
  /** Whose page it is. Default: a name that nobody else has. */
  readonly user?: string
}

/**
 * Sets the scene for the tests of a file. After each of them its pages are closed, and none may have
 * complained on its console, nor asked anything of another origin.
 */
export function setScene(start: () => Promise<RunningPlayground>): Scene {
  let browser: Browser
  let playground: RunningPlayground
  let contexts: BrowserContext[] = []
  let visits: Visit[] = []

  const newContext = (options: BrowserContextOptions = {}) =>
    browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })

  beforeAll(async () => {
    ;[browser, playground] = await Promise.all([launchBrowser(), start()])
  })
  afterAll(async () => {
    await browser?.close()
    await playground?.close()
  })
  afterEach(async () => {
    const ended = visits
    for (const { page } of visits) await page.close()
    for (const context of contexts) await context.close()
    visits = []
    contexts = []
    expect(ended.flatMap(({ complaints }) => complaints)).toEqual([])
    expect(ended.flatMap(({ foreignRequests }) => foreignRequests)).toEqual([])
  })

  return {
    get url() {
      return playground.url
    },
    async visit({ kept = 'browser', user, ...options } = {}) {
      // The page keeps conversations and notes: those of another test are not to be found.
      const context = await newContext(options)
      await context.addInitScript((where) => localStorage.setItem('assent-kept', where), kept)
      if (user !== undefined) {
        await context.addInitScript((name) => localStorage.setItem('assent-user', name), user)
      }
      contexts.push(context)
      const here = await visit(context, playground.url)
      visits.push(here)
      return here
    },
  }
}

/** The Chromium of this machine; throws, and says how to get one, when there is none. */
function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: requireChromium(), args: [...CHROMIUM_ARGS] })
}
