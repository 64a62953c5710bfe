import { chromium, type Browser, type BrowserContext, type CDPSession, type Page } from 'playwright'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { CHROMIUM_ARGS, requireChromium } from '../../../scripts/chromium.ts'
import { serveTabs, type TabServer } from './serve-tabs.ts'

/** A browser window with tabs of one conversation, anew for each test. */
export interface TabScene {
  readonly server: TabServer
  openTab(): Promise<Page>
  /** The holder's tab and a mirror. */
  openTwo(): Promise<[holder: Page, mirror: Page]>
  /** The browser's own view of a page. */
  devtools(page: Page): Promise<CDPSession>
}

/** Sets the scene for the tests of a file. No page may complain on its console. */
export function setTabScene(): TabScene {
  let browser: Browser
  let server: TabServer
  let context: BrowserContext
  const complaints: string[] = []

  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: requireChromium(),
      // Each tab in a process of its own, so that one can die alone.
      args: [...CHROMIUM_ARGS, '--renderer-process-limit=100'],
    })
  })
  afterAll(() => browser?.close())
  beforeEach(async () => {
    server = await serveTabs()
    context = await browser.newContext()
  })
  afterEach(async () => {
    await context.close()
    await server.close()
    expect(complaints.splice(0)).toEqual([])
  })

  async function openTab(): Promise<Page> {
    const page = await context.newPage()
    page.setDefaultTimeout(10_000)
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
    })
    await page.goto(`${server.url}/#chat`)
    await page.waitForFunction(() => 'tab' in globalThis)
    await page.evaluate(() => tab.engine.ready)
    return page
  }

  return {
    get server() {
      return server
    },
    openTab,
    async openTwo() {
      const pages: [Page, Page] = [await openTab(), await openTab()]
      expect(await Promise.all(pages.map(roleOf))).toEqual(['holder', 'mirror'])
      return pages
    },
    devtools: (page) => context.newCDPSession(page),
  }
}

/** Whether a page holds the conversation. */
export function roleOf(page: Page): Promise<'holder' | 'mirror'> {
  return page.evaluate(() => tab.engine.role())
}
