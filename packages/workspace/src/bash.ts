import { z } from 'zod'
import { commandText } from './input-bounds.ts'
import { captureOutput } from './shell/captured-output.ts'
import type { ToolRisk } from '@assent/engine'
import { judgeCommand } from './shell/judge-command.ts'
import { RIGHTS, type Right } from './shell/rights.ts'
import type { Shell, ShellResult } from './shell/shell.ts'
import { firstOfCommand } from './shell/visible-command.ts'
import { worstRisk, type CommandRisk } from './shell/verdict.ts'
import { createWaker } from './waker.ts'
import type { ClearedCall, ToolKit, WorkspaceTool } from './tool-kit.ts'

const command = commandText.describe('A command line of bash. It starts in the workspace.')
const plainInput = z.object({ command })
const inputWithRights = z.object({
  command,
  rights: z
    .array(z.enum(RIGHTS))
    .optional()
    .describe('What the command needs beyond reading the workspace. A person is asked for it.'),
})

/** The input of the tool `bash`. Only the shell of the system knows rights. */
export type BashInput = z.infer<typeof inputWithRights>

export interface BashOptions {
  readonly shell: Shell
  readonly timeoutMs: number
}

/** Milliseconds between two looks at what a command has printed so far, at least. */
const LOOK_MS = 200

/** Runs command lines. */
export function bashTool(kit: ToolKit, options: BashOptions): WorkspaceTool<BashInput> {
  const { shell, timeoutMs } = options

  async function* stream(input: BashInput, call: ClearedCall): AsyncGenerator<string> {
    const captured = captureOutput({ redact: kit.redact })
    const changes = createWaker()
    const running = shell.run({
      input,
      toolCallId: call.toolCallId,
      clearance: call.clearance,
      timeoutMs,
      signal: call.abortSignal,
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
    const ran = await result
    const how = endOf(ran, timeoutMs)
    const { text, gone } = captured
    const said = text === '' && how === '' ? '(no output)' : text
    const output = said === '' || said.endsWith('\n') ? said : `${said}\n`
    // Last, where what a command prints cannot pass for it.
    const footer = `${how}[Ran ${ran.place}.]\n`
    yield await kit.outputs.fit('bash', { text: output, footer, ...(gone && { gone }) }, 'tail')
  }

  return {
    description:
      `Runs a command line of bash in the workspace and returns what it prints, errors included. ${shell.about} ` +
      `It is ended after ${timeoutMs / 1_000} s. Prefer read, edit, glob and grep where they do.`,
    inputSchema: shell.rights.length > 0 ? inputWithRights : plainInput,
    clear: (input, call) => shell.clear(input, call),
    stream,
    options: {
      risk: ({ command, rights = [] }) => riskOfCommand(command, rights, shell.riskSeen?.(command)),
      // What a command does is not told by how it begins.
      exactOnly: true,
      keep: 'tail',
      failure: failureOf,
      // Its own limit comes first, so that what it printed until then is not lost.
      timeoutMs: timeoutMs + 10_000,
      summary: (input) => shell.summary?.(input) ?? summaryOf(input.command),
      preview: (input, call) => shell.preview(input, call),
    },
  }
}

/** As it is known by its words: what it changes for good, sends, changes, or only reads. */
function riskOfCommand(
  command: string,
  rights: readonly Right[],
  seen: CommandRisk = 'read',
): ToolRisk {
  const { parts } = judgeCommand(command)
  const risk = worstRisk([seen, ...parts.map((part) => part.risk)])
  const needs = [...rights, ...parts.flatMap((part) => part.needs ?? [])]
  if (risk !== 'destroy' && needs.includes('network')) return 'send'
  return risk === 'read' && needs.some((right) => right !== 'credentials') ? 'write' : risk
}

function summaryOf(line: string): string {
  return `Run ${firstOfCommand(line)}`
}

/** How a command ended that did not end well, as the last lines of its output say. */
function failureOf(output: unknown): string | undefined {
  return /\[(Exit code \d+|Ended [^\]\n]*)\.\]\n(?:\[[^\n]*\]\n?)*$/.exec(String(output))?.[1]
}

/** How a command ended, when that is worth a word, and what else is to be told. */
function endOf({ exitCode, signal, ended, note }: ShellResult, timeoutMs: number): string {
  const how = {
    timeout: `[Ended after ${timeoutMs / 1_000} s: its time was up.]\n`,
    aborted: '[Ended: the call was cancelled.]\n',
    'too-much-output': '[Ended: it printed too much.]\n',
    exited:
      signal !== null
        ? `[Ended by ${signal}.]\n`
        : exitCode === 0
          ? ''
          : `[Exit code ${exitCode}.]\n`,
  }[ended]
  return note === undefined ? how : `${how}[${note}]\n`
}
