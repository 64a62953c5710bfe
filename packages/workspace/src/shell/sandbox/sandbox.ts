import type { RunResult } from '../shell.ts'
import type { ProcessWatch } from '../system/run-process.ts'
import type { SandboxView } from './sandbox-view.ts'

/** A command, and what it sees. */
export interface SandboxedCommand extends ProcessWatch {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly view: SandboxView
}

/** What keeps a command to its view. */
export interface Sandbox {
  /** As people know it: `bubblewrap 0.8.0`. */
  readonly name: string
  /** The home folder of commands. */
  readonly home: string
  /** Runs a command. Throws a {@link SandboxError} when it has not run. */
  run(command: SandboxedCommand): Promise<RunResult>
}

/** Why there is no sandbox here. */
export interface NoSandbox {
  /** A sentence. */
  readonly reason: string
  /** What to do about it: a sentence or more. */
  readonly mend: string
}

/** A sandbox that could not be set up: the command did not run. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError'
  readonly code = 'sandbox_failed'

  constructor(why: string) {
    super(`The sandbox could not be set up, so the command did not run: ${why}`)
  }
}
