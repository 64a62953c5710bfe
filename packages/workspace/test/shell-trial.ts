import { dirname } from 'node:path'
import { realpathSync } from 'node:fs'
import { isSensitivePath } from '../src/sensitive-paths.ts'
import { commandEnvironment } from '../src/shell/system/environment.ts'
import { runBare } from '../src/shell/system/run-bare.ts'
import { systemShell, type SystemShellOptions } from '../src/shell/system/system-shell.ts'
import { judgeCommand, type JudgeCommand } from '../src/shell/judge-command.ts'
import type { Right } from '../src/shell/rights.ts'
import type { RunResult, ShellResult } from '../src/shell/shell.ts'

/** How a command ended, and what it has printed. */
export interface Trial extends RunResult, Partial<Pick<ShellResult, 'note' | 'place'>> {
  readonly output: string
}

export interface TrialOptions {
  readonly rights?: readonly Right[]
  readonly timeoutMs?: number
  readonly graceMs?: number
  readonly signal?: AbortSignal
  readonly onOutput?: (text: string) => void
}

/** The folder of this Node: it may be none of the system's. */
export const NODE_FOLDER = dirname(realpathSync(process.execPath))

/**
 * Runs commands in a workspace without a judge: `inside` in the sandbox, as if every command had been
 * let through (or, with rights, approved), and `outside` without one: the control, which shows the harm.
 */
export function shellTrial(root: string, options: Partial<SystemShellOptions> = {}) {
  const judge: JudgeCommand = (command) =>
    Promise.resolve({ verdict: 'allow', parts: [], names: judgeCommand(command).names })
  const shell = systemShell({
    judge,
    judgeInSandbox: judge,
    roots: [{ path: root, access: 'write' }],
    isSensitive: isSensitivePath,
    programFolders: [NODE_FOLDER],
    graceMs: 200,
    ...options,
  })

  let calls = 0

  async function inside(command: string, trial: TrialOptions = {}): Promise<Trial> {
    const { rights, timeoutMs = 20_000, signal } = trial
    let output = ''
    const toolCallId = `trial-${++calls}`
    if (rights) await shell.clear({ command, rights }, { toolCallId })
    const result = await shell.run({
      input: { command, rights },
      toolCallId,
      clearance: rights ? { verdict: 'ask', reason: 'a person was asked.' } : { verdict: 'allow' },
      timeoutMs,
      signal,
      onOutput: (text) => {
        trial.onOutput?.(text)
        if (output.length < 1_000_000) output += text
      },
    })
    return { ...result, output }
  }

  async function outside(command: string, trial: TrialOptions = {}): Promise<Trial> {
    const { timeoutMs = 20_000, graceMs = 200 } = trial
    let output = ''
    const result = await runBare({
      argv: ['/bin/bash', '--noprofile', '--norc', '-c', command],
      cwd: root,
      env: commandEnvironment(process.env, [root]),
      timeoutMs,
      graceMs,
      onOutput: (text) => {
        if (output.length < 1_000_000) output += text
      },
    })
    return { ...result, output }
  }

  return { shell, inside, outside }
}
