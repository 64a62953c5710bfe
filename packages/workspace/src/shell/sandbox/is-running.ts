import { readFileSync } from 'node:fs'

/** Whether a process runs. One that has ended, and that nobody has asked for, is there by name only. */
export function isRunning(pid: number | string): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
