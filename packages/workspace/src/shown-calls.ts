import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '@assent/engine/error-code'

/** What a person was asked about, by call: the fingerprint of the changes, or of the file they were made from. */
export interface ShownCalls {
  /** What was noted first stays: that is what stands on the card. */
  note(key: string, fingerprint: string): void
  /** Gives it away: a yes is good for one run. Nothing when this was asked before a restart, or not at all. */
  take(key: string): string | undefined
}

/** Calls that may wait at the same time. Of more the oldest ask again. */
const MOST_SHOWN = 10_000
/** Milliseconds for which a file is kept. */
const MOST_AGE = 90 * 24 * 3_600_000

/** Why a yes does not stand when it is not known what it was given to. */
export const NOT_KNOWN =
  'it is not known what a person was shown: the server was restarted since, or nobody was asked. ' +
  'Call again, so that one sees it.'

/** Remembers what was shown, for as long as the process lives. */
export function rememberShownCalls(most = MOST_SHOWN): ShownCalls {
  const shown = new Map<string, string>()
  return {
    note(key, fingerprint) {
      if (!shown.has(key)) shown.set(key, fingerprint)
      for (const oldest of shown.keys()) {
        if (shown.size <= most) break
        shown.delete(oldest)
      }
    },
    take(key) {
      const fingerprint = shown.get(key)
      shown.delete(key)
      return fingerprint
    },
  }
}

/** Remembers what was shown in files of a folder, for other processes too. */
export function keepShownCalls(folder: string): ShownCalls {
  const nameOf = (key: string) => createHash('sha256').update(key).digest('hex')
  for (const name of readdirSync(folder)) {
    if (/^[0-9a-f]{64}$/.test(name)) unlinkIfOld(join(folder, name))
  }
  return {
    note(key, fingerprint) {
      try {
        writeFileSync(join(folder, nameOf(key)), fingerprint, { flag: 'wx', mode: 0o600 })
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') throw error
      }
    },
    take(key) {
      const file = join(folder, nameOf(key))
      try {
        const fingerprint = readFileSync(file, 'utf8')
        unlinkSync(file)
        return fingerprint
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return undefined
        throw error
      }
    },
  }
}

function unlinkIfOld(file: string): void {
  try {
    if (statSync(file).mtimeMs < Date.now() - MOST_AGE) unlinkSync(file)
  } catch (error) {
    // Another process was faster.
    if (errorCode(error) !== 'ENOENT') throw error
  }
}
