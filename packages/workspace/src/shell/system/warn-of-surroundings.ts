import { isSandbox } from '../sandbox/probe-sandbox.ts'
import type { NoSandbox, Sandbox } from '../sandbox/sandbox.ts'

const told = new Set<string>()

/** Warns, once each, of what makes the boundary around commands weaker than it could be. */
export function warnOfSurroundings(found: Sandbox | NoSandbox): void {
  if (!isSandbox(found)) {
    warn(
      'ASSENT_NO_SANDBOX',
      `A person is asked about every command of bash. ${found.reason} ${found.mend}`,
    )
    return
  }
  if (process.getuid?.() === 0) {
    warn(
      'ASSENT_SANDBOX_ROOT',
      'Commands run as root, for whom limits of processes do not hold. Run this process as a plain user.',
    )
  }
  if (process.pid === 1) {
    warn(
      'ASSENT_SANDBOX_INIT',
      'This is the first process of its container: each command leaves a process entry for ever. Start the container with an init, as `docker run --init` does.',
    )
  }
}

function warn(code: string, text: string): void {
  if (told.has(code)) return
  told.add(code)
  process.emitWarning(text, { code })
}
