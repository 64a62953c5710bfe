import { readFileSync, readdirSync } from 'node:fs'
import { isRunning } from '../src/shell/sandbox/is-running.ts'

/** The numbers of running processes whose command line holds a text. */
export function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text) && isRunning(pid)
      } catch {
        return false
      }
    })
}
