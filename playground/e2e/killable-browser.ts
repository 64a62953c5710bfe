import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromium, type BrowserContext, type Page } from 'playwright'
import { CHROMIUM_ARGS, requireChromium } from '../../scripts/chromium.ts'

/** A Chromium with its own folder on the disk, which outlives it. */
export interface KillableBrowser {
  /** Opens a page whose process can be killed, as a crash does, while the browser goes on. */
  openPage(): Promise<{ page: Page; crash: () => Promise<void> }>
  /** Kills all processes of the browser, as a power cut does but for the disk, and starts it again. */
  killBrowser(): Promise<void>
  /** Ends the browser and takes its folder away. */
  close(): Promise<void>
}

/** Starts a Chromium that a test can kill in the middle of anything. */
export async function startKillableBrowser(): Promise<KillableBrowser> {
  const folder = await mkdtemp(join(tmpdir(), 'assent-profile-'))
  let running = await start(folder)

  return {
    async openPage() {
      const { context } = running
      const page = await context.newPage()
      // Beforehand: a page that is busy would not let anybody in.
      const session = await context.newCDPSession(page)
      return {
        page,
        async crash() {
          const crashed = page.waitForEvent('crash')
          // It is never answered.
          session.send('Page.crash').catch(() => {})
          await crashed
          await page.close()
        },
      }
    },
    async killBrowser() {
      await running.kill()
      running = await start(folder)
    },
    async close() {
      await running.kill()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

interface RunningBrowser {
  readonly context: BrowserContext
  kill(): Promise<void>
}

async function start(folder: string): Promise<RunningBrowser> {
  const child = spawn(
    requireChromium(),
    [
      ...CHROMIUM_ARGS,
      '--headless=new',
      '--window-size=1280,900',
      '--remote-debugging-port=0',
      '--hide-crash-restore-bubble',
      `--user-data-dir=${folder}`,
      'about:blank',
    ],
    // A group of its own: all of its processes can be killed at once, and nothing else.
    { detached: true, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const gone = once(child, 'exit')
  const { pid } = child
  if (pid === undefined) throw new Error('Chromium did not start.')
  const browser = await chromium.connectOverCDP(await endpointOf(child.stderr))
  const [context] = browser.contexts()
  if (!context) throw new Error('The browser has no context.')
  return {
    context,
    async kill() {
      process.kill(-pid, 'SIGKILL')
      await gone
      await browser.close()
    },
  }
}

/** Where the browser says that it listens. */
async function endpointOf(stderr: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(stderr)) {
    const [, endpoint] = /^DevTools listening on (\S+)/.exec(line) ?? []
    if (endpoint !== undefined) {
      stderr.resume()
      return endpoint
    }
  }
  throw new Error('Chromium ended before it listened.')
}
