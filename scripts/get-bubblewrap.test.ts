import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { runChild } from './child.ts'
import { getBubblewrap } from './get-bubblewrap.ts'

let dir: string
let ran: string[]

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assent-bubblewrap-'))
  ran = []
  vi.stubEnv('PATH', dir)
  vi.spyOn(console, 'log').mockReturnValue()
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  rmSync(dir, { recursive: true })
})

function install(): void {
  writeFileSync(join(dir, 'bwrap'), '#!/bin/sh\n')
  chmodSync(join(dir, 'bwrap'), 0o755)
}

/** A system whose packages can be had, or not. */
const packages =
  (canInstall: boolean): typeof runChild =>
  async (command, args) => {
    ran.push(`${command} ${args.at(-1)}`)
    if (canInstall && args.at(-1) === 'bubblewrap') install()
    return canInstall ? 0 : 100
  }

it('takes the one that is there', async () => {
  install()
  expect(await getBubblewrap({ run: packages(true), isRoot: true, platform: 'linux' })).toBe(true)
  expect(ran).toEqual([])
})

it('installs it as root, and goes on without it where that fails', async () => {
  expect(await getBubblewrap({ run: packages(false), isRoot: true, platform: 'linux' })).toBe(false)
  expect(console.log).toHaveBeenLastCalledWith(expect.stringContaining('not run'))
  expect(await getBubblewrap({ run: packages(true), isRoot: true, platform: 'linux' })).toBe(true)
  expect(ran).toEqual([
    'apt-get update',
    'apt-get bubblewrap',
    'apt-get update',
    'apt-get bubblewrap',
  ])
})

it('installs nothing as another user, or on another system', async () => {
  expect(await getBubblewrap({ run: packages(true), isRoot: false, platform: 'linux' })).toBe(false)
  expect(await getBubblewrap({ run: packages(true), isRoot: true, platform: 'darwin' })).toBe(false)
  expect(ran).toEqual([])
})
