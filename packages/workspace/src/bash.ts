import { z } from 'zod'
import type { Redact } from '@assent/engine/redaction'
import { captureOutput } from './shell/captured-output.ts'
import { judgeCommand } from './shell/judge-command.ts'
import type { RunRequest, RunResult } from './shell/run-system.ts'
import type { CommandRules } from './shell/rules.ts'
import { stricter } from './shell/verdict.ts'
import { WorkspaceRefusal } from './refusal.ts'
import { createWaker } from './waker.ts'
import type { CallDetails, Clearance, ToolKit, WorkspaceTool } from './tool-kit.ts'

const inputSchema = z.object({
  command: z.string().min(1).describe('A command line of bash. It starts in the workspace.'),
})

export type BashInput = z.infer<typeof inputSchema>

/** Runs a command that was judged. */
export type RunCommand = (
  request: Pick<RunRequest, 'command' | 'argv' | 'timeoutMs' | 'signal' | 'onOutput'>,
) => Promise<RunResult>

export interface BashOptions {
  readonly run: RunCommand
  readonly rules: CommandRules
  readonly redact: Redact
  readonly timeoutMs: number
  /** What the model is told of the shell. */
  readonly about: string
}

/** Milliseconds between two looks at what a command has printed so far, at least. */
const LOOK_MS = 200

/** Runs command lines. */
export function bashTool(kit: ToolKit, options: BashOptions): WorkspaceTool<BashInput> {
  const { rules, run, timeoutMs, redact, about } = options
  const cwd = kit.roots.all[0].path

  function judge(command: string): { clearance: Clearance; argv?: readonly string[] | undefined } {
    const { verdict, parts, argv } = judgeCommand(command, rules)
    const [first, ...others] = parts
    if (verdict === 'allow' || !first) return { clearance: { verdict: 'allow' }, argv }
    const { reason, text } = others.reduce(stricter, first)
    const where = text === command || text.length > 80 ? '' : ` (${text})`
    return { clearance: { verdict, reason: `${sentence(reason)}${where}.` }, argv }
  }

  async function* stream(
    { command }: BashInput,
    { abortSignal }: CallDetails,
  ): AsyncGenerator<string> {
    const { clearance, argv } = judge(command)
    if (clearance.verdict === 'deny') {
      throw new WorkspaceRefusal(
        'forbidden',
        command,
        `the command is not run. ${clearance.reason}`,
      )
    }
    const captured = captureOutput({ redact })
    const changes = createWaker()
    const running = run({
      command,
      argv,
      timeoutMs,
      signal: abortSignal,
      onOutput: (text) => {
        captured.add(text)
        changes.wake()
      },
    })
    const result = running.finally(changes.end)
    // Awaited below; until then nobody listens to it.
    result.catch(() => {})
    let lookMs = LOOK_MS
    while (await changes.next(lookMs)) {
      const started = performance.now()
      const { text, gone } = captured
      yield kit.outputs.preview('bash', { text, ...(gone && { gone }), isPartial: true }, 'tail')
      // A look takes the longer the more there is; it must not become what the time is spent on.
      lookMs = Math.max(LOOK_MS, 10 * (performance.now() - started))
    }
    const how = endOf(await result, timeoutMs)
    const { text, gone } = captured
    const whole =
      how === '' ? text : `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${how}`
    yield await kit.outputs.fit(
      'bash',
      { text: whole === '' ? '(no output)' : whole, ...(gone && { gone }) },
      'tail',
    )
  }

  return {
    description:
      `Runs a command line of bash in the workspace and returns what it prints, errors included. ${about} ` +
      `It is ended after ${timeoutMs / 1_000} s. Prefer read, edit, glob and grep where they do.`,
    inputSchema,
    clear: ({ command }) => judge(command).clearance,
    stream,
    options: {
      risk: 'write',
      keep: 'tail',
      // Its own limit comes first, so that what it printed until then is not lost.
      timeoutMs: timeoutMs + 10_000,
      summary: ({ command }) => `Run ${command.length > 80 ? `${command.slice(0, 79)}…` : command}`,
      preview: ({ command }) => ({ kind: 'command', command, cwd }),
    },
  }
}

/** How a command ended, when that is worth a word. */
function endOf({ exitCode, signal, ended }: RunResult, timeoutMs: number): string {
  if (ended === 'timeout') return `[Ended after ${timeoutMs / 1_000} s: its time was up.]\n`
  if (ended === 'aborted') return '[Ended: the call was cancelled.]\n'
  if (signal !== null) return `[Ended by ${signal}.]\n`
  return exitCode === 0 ? '' : `[Exit code ${exitCode}.]\n`
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
