import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { errorCode } from '@assent/engine/error-code'
import { moved } from './open-file.ts'
import type { Located, Roots } from './roots.ts'
import { LastUsed } from './shell/system/last-used.ts'

/** Where paths led to when it was decided whether a call needs a person. */
export interface SeenPlaces {
  /**
   * Looks where a path leads to now. A permission for a folder speaks of the path alone: it covers nothing that
   * a link takes elsewhere, or took there when it was looked at before.
   *
   * @returns whether it goes through a link, or cannot be told
   */
  isLed(path: string): boolean
  /** Locates a path of a call that runs. Throws a refusal when it leads elsewhere than when it was looked at. */
  locate(path: string): Promise<Located>
}

/** Paths that are remembered. */
const MOST_PATHS = 10_000

/** Remembers where paths were seen to lead to. */
export function createSeenPlaces(roots: Roots): SeenPlaces {
  const seen = new LastUsed<{ readonly real: string | undefined; readonly isLed: boolean }>(
    MOST_PATHS,
  )

  function isLed(path: string): boolean {
    const straight = roots.withoutLinks(path)
    const real = straight === undefined ? undefined : realPathNow(straight)
    const isLedNow = real === undefined || real !== straight
    const everLed = isLedNow || seen.get(path)?.isLed === true
    seen.set(path, { real, isLed: everLed })
    return everLed
  }

  async function locate(path: string): Promise<Located> {
    const located = await roots.locate(path)
    const before = seen.get(path)?.real
    if (before !== undefined && before !== located.real) throw moved(path)
    return located
  }

  return { isLed, locate }
}

/** The real path of what is there, and behind it what is missing; none where it cannot be told. */
function realPathNow(absolute: string): string | undefined {
  const missing: string[] = []
  for (let at = absolute; ; at = dirname(at)) {
    try {
      return join(realpathSync(at), ...missing)
    } catch (error) {
      const isMissing = errorCode(error) === 'ENOENT' && at !== dirname(at)
      // A link to what is not there leads nowhere, or elsewhere by the time it is used.
      if (!isMissing || lstatSync(at, { throwIfNoEntry: false }) !== undefined) return undefined
      missing.unshift(basename(at))
    }
  }
}
