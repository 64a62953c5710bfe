import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import type * as Playwright from 'playwright'

/** Flags that keep a headless Chromium quiet, offline and able to run in a container. */
export const CHROMIUM_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
] as const

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']
const FIXED_PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
]

/** What to tell a person whose machine has no Chromium. */
export const NO_CHROMIUM = [
  'No Chromium or Chrome was found; the browser tests need one.',
  '  Debian, Ubuntu:  apt-get install -y --no-install-recommends chromium',
  '  macOS:           brew install --cask chromium',
  '  elsewhere:       install Google Chrome, or set CHROMIUM_PATH to an executable',
].join('\n')

/** Path of the Chromium that browser tests run in: the machine's, else the one that Playwright has downloaded. */
export function findChromium(): string | undefined {
  return findOnMachine() ?? findDownloaded()
}

/** Path of the machine's Chromium: `CHROMIUM_PATH`, the `PATH`, the usual places. */
export function findOnMachine(): string | undefined {
  const named = process.env['CHROMIUM_PATH']
  if (named) return named
  const onPath = (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((dir) => NAMES.map((name) => join(dir, name)))
  return [...onPath, ...FIXED_PLACES].find(isExecutable)
}

/** Path of the Chromium that Playwright has downloaded. */
export function findDownloaded(): string | undefined {
  // Loaded only where it is asked: it takes longer than all the rest.
  const { chromium }: typeof Playwright = createRequire(import.meta.url)('playwright')
  const path = chromium.executablePath()
  return isExecutable(path) ? path : undefined
}

/** Like {@link findChromium}, but throws and says how to get one when there is none. */
export function requireChromium(): string {
  const path = findChromium()
  if (!path) throw new Error(NO_CHROMIUM)
  if (!isExecutable(path)) throw new Error(`CHROMIUM_PATH names no executable file: ${path}`)
  return path
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
