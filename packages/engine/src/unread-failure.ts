import type { CommandResult } from './commands.ts'
import { warnOnce } from './development.ts'
import type { EngineError } from './errors.ts'

/** Milliseconds within which somebody who waits for a result has looked at it. */
const LOOK_MS = 1_000

/** In development: the result of a failed command, which tells when nobody looks at it. */
export function watchedFailure(error: EngineError, command: string): CommandResult {
  const timer = setTimeout(() => {
    warnOnce(
      `The command ${command} failed (${error.code}), and nobody looked at its result: await it, and read "success". ${error.message}`,
    )
  }, LOOK_MS)
  const look = <VALUE>(value: VALUE): VALUE => {
    clearTimeout(timer)
    return value
  }
  return {
    get success() {
      return look(false as const)
    },
    get error() {
      return look(error)
    },
  }
}
