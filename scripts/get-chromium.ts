import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ROOT, runChild } from './child.ts'
import { findDownloaded, findOnMachine, NO_CHROMIUM, requireChromium } from './chromium.ts'

const PLAYWRIGHT = join(ROOT, 'node_modules/playwright/cli.js')

/** Where a Chromium comes from. */
export interface ChromiumSources {
  /** Runs what fetches one. */
  run?: typeof runChild
  /** Finds the one that Playwright has downloaded. */
  findDownloaded?: () => string | undefined
  /** Whether packages of the system may be installed. */
  isRoot?: boolean
}

/**
 * Sets up a Chromium for what follows, which finds it by `findChromium()`, and resolves to its path: the
 * machine's, else Playwright's, which is downloaded where it can be, else the package of the system.
 *
 * @throws Error that says how to get one by hand
 */
export async function getChromium(sources: ChromiumSources = {}): Promise<string> {
  const { run = runChild, isRoot = process.getuid?.() === 0 } = sources
  const found = sources.findDownloaded ?? findDownloaded
  if (findOnMachine() !== undefined) return requireChromium()

  if (found() === undefined) {
    console.log('There is no Chromium or Chrome here: Playwright downloads one.\n')
    const args = ['install', '--no-shell', '--no-progress', 'chromium']
    await run(process.execPath, [PLAYWRIGHT, ...args], { env: PATIENCE })
  }
  const downloaded = found()
  if (downloaded !== undefined && starts(downloaded)) return downloaded

  if (isRoot) {
    console.log('\nThat does not work here: installing the package of the system.\n')
    const env = { DEBIAN_FRONTEND: 'noninteractive' }
    await run('apt-get', ['update'], { env })
    await run('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], { env })
  }
  const installed = findOnMachine()
  if (installed !== undefined) return installed
  throw new Error(downloaded === undefined ? NO_CHROMIUM : `${NO_CHROMIUM}\n${lacking(downloaded)}`)
}

/** A network that swallows what it does not let through would be waited for by minutes. */
const PATIENCE = { PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: '10000' }

/** One that was downloaded may lack libraries of the system. */
function starts(path: string): boolean {
  // On Windows it would open a window; there it brings along all that it needs.
  return process.platform === 'win32' || spawnSync(path, ['--version']).status === 0
}

function lacking(path: string): string {
  return `  ${path} was downloaded and does not start: it lacks libraries (npx playwright install-deps chromium, as root)`
}
