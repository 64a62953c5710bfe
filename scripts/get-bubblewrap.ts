import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { runChild } from './child.ts'

/** Where bubblewrap comes from. */
export interface BubblewrapSources {
  /** Runs what installs it. */
  run?: typeof runChild
  /** Whether packages of the system may be installed. */
  isRoot?: boolean
  platform?: NodeJS.Platform
}

/**
 * Sets up bubblewrap on a Linux that lacks it, where packages may be installed. Without it the tests of
 * the sandbox are not run: that is said, and no failure.
 *
 * @returns whether it is there
 */
export async function getBubblewrap(sources: BubblewrapSources = {}): Promise<boolean> {
  const { run = runChild, isRoot = process.getuid?.() === 0 } = sources
  const { platform = process.platform } = sources
  if (platform !== 'linux') return false
  if (isInstalled()) return true
  if (isRoot) {
    console.log('There is no bubblewrap here: installing the package of the system.\n')
    const env = { DEBIAN_FRONTEND: 'noninteractive' }
    await run('apt-get', ['update'], { env })
    await run('apt-get', ['install', '-y', '--no-install-recommends', 'bubblewrap'], { env })
    if (isInstalled()) return true
  }
  console.log('Without bubblewrap (apt install bubblewrap) the tests of the sandbox are not run.\n')
  return false
}

function isInstalled(): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, 'bwrap'), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
