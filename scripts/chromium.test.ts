import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { chromium } from 'playwright'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { findChromium, requireChromium } from './chromium.ts'

let dir: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assent-chromium-'))
  vi.stubEnv('CHROMIUM_PATH', '')
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  rmSync(dir, { recursive: true })
})

function executable(name: string): string {
  const path = join(dir, name)
  writeFileSync(path, '#!/bin/sh\n')
  chmodSync(path, 0o755)
  return path
}

it('finds a browser on the PATH', () => {
  vi.stubEnv('PATH', ['/nowhere', dir].join(delimiter))
  const chrome = executable('google-chrome')
  expect(findChromium()).toBe(chrome)
  expect(requireChromium()).toBe(chrome)
})

it('prefers the one that CHROMIUM_PATH names', () => {
  vi.stubEnv('PATH', dir)
  executable('chromium')
  vi.stubEnv('CHROMIUM_PATH', executable('my-chromium'))
  expect(requireChromium()).toBe(join(dir, 'my-chromium'))
})

it.runIf(process.platform === 'linux')('finds the one that Playwright has downloaded', () => {
  vi.stubEnv('PATH', '/nowhere')
  const own = executable('chrome-of-playwright')
  vi.spyOn(chromium, 'executablePath').mockReturnValue(own)
  expect(requireChromium()).toBe(own)
})

it('says what is wrong when CHROMIUM_PATH names no executable', () => {
  vi.stubEnv('CHROMIUM_PATH', join(dir, 'missing'))
  expect(requireChromium).toThrow(`CHROMIUM_PATH names no executable file: ${dir}/missing`)
})

// On other systems a browser may be at one of the fixed places.
it.runIf(process.platform === 'linux')('says how to get one when there is none', () => {
  vi.stubEnv('PATH', dir)
  vi.spyOn(chromium, 'executablePath').mockReturnValue(join(dir, 'not-downloaded'))
  expect(requireChromium).toThrow('apt-get install -y --no-install-recommends chromium')
})
