import { describe } from 'vitest'
import { isSandbox, probeSandbox } from '../src/shell/sandbox/probe-sandbox.ts'

const found = probeSandbox({ path: process.env['PATH'] ?? '', shellPath: '/bin/bash' })

if (!isSandbox(found)) {
  process.emitWarning(`What needs a sandbox is not tested. ${found.reason} ${found.mend}`)
}

/** Tests that need the sandbox of this machine: not run, and counted so, where there is none. */
export const describeSandbox: typeof describe.skip = isSandbox(found) ? describe : describe.skip
