import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { runChild } from './child.ts'
import { findChromium } from './chromium.ts'
import { getChromium } from './get-chromium.ts'

let dir: string
/** What was run to get one, by its last word. */
let ran: string[]

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assent-chromium-'))
  ran = []
  vi.stubEnv('CHROMIUM_PATH', '')
  vi.stubEnv('PATH', dir)
  vi.spyOn(console, 'log').mockReturnValue()
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  rmSync(dir, { recursive: true })
})

function executable(name: string, exitCode = 0): string {
  const path = join(dir, name)
  writeFileSync(path, `#!/bin/sh\nexit ${exitCode}\n`)
  chmodSync(path, 0o755)
  return path
}

const downloaded = (): string => join(dir, 'downloaded')
const findDownloaded = () => (existsSync(downloaded()) ? downloaded() : undefined)

/** A network, and a system, that have what is asked of them, or not. */
function world({ download, apt }: { download?: () => void; apt?: () => void }): typeof runChild {
  return async (command, args) => {
    const get = command === 'apt-get' ? apt : download
    ran.push(`${command === 'apt-get' ? 'apt-get' : 'playwright'} ${args.at(-1)}`)
    if (!get) return 1
    if (args.at(-1) === 'chromium') get()
    return 0
  }
}

it('takes the one of the machine, and fetches none', async () => {
  const path = executable('google-chrome')
  expect(await getChromium({ run: world({}), findDownloaded, isRoot: true })).toBe(path)
  expect(ran).toEqual([])
})

// On other systems a browser may be at one of the fixed places.
describe.runIf(process.platform === 'linux')('a machine without a browser', () => {
  it('takes the one that was downloaded before', async () => {
    executable('downloaded')
    expect(await getChromium({ run: world({}), findDownloaded, isRoot: true })).toBe(downloaded())
    expect(ran).toEqual([])
  })

  it('downloads one where there is none', async () => {
    const run = world({ download: () => executable('downloaded') })
    expect(await getChromium({ run, findDownloaded, isRoot: true })).toBe(downloaded())
    expect(ran).toEqual(['playwright chromium'])
  })

  it.each([
    ['cannot be downloaded', undefined],
    ['does not start', () => void executable('downloaded', 127)],
  ])('installs the package of the system, as root, where the other %s', async (_, download) => {
    const run = world({ ...(download && { download }), apt: () => executable('chromium') })
    const path = await getChromium({ run, findDownloaded, isRoot: true })
    expect(path).toBe(join(dir, 'chromium'))
    expect(findChromium()).toBe(path)
    expect(ran).toEqual(['playwright chromium', 'apt-get update', 'apt-get chromium'])
  })

  it.each([true, false])('says how to get one where nothing works (root: %s)', async (isRoot) => {
    const getting = getChromium({ run: world({}), findDownloaded, isRoot })
    await expect(getting).rejects.toThrow('apt-get install -y --no-install-recommends chromium')
    expect(ran).toHaveLength(isRoot ? 3 : 1)
  })

  it('says what is lacking where the downloaded one does not start', async () => {
    executable('downloaded', 127)
    const getting = getChromium({ run: world({}), findDownloaded, isRoot: false })
    await expect(getting).rejects.toThrow(/No Chromium[^]+downloaded was downloaded and does not/)
    expect(ran).toEqual([])
  })
})
