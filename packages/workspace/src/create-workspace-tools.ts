import { mkdirSync, realpathSync } from 'node:fs'
import type { ToolOptions } from '@assent/engine'
import type { Redact } from '@assent/engine/redaction'
import type { Tool } from 'ai'
import { isInRepository } from './bare-repository.ts'
import { isSensitivePath } from './sensitive-paths.ts'
import { judgeCommand, judgeCommandOnDisk, type JudgeCommand } from './shell/judge-command.ts'
import { lookAlikeInWords } from './shell/look-alikes.ts'
import type { CommandRules } from './shell/rules.ts'
import type { Shell } from './shell/shell.ts'
import { simulatedShell } from './shell/simulated/simulated-shell.ts'
import { systemShell } from './shell/system/system-shell.ts'
import { attachTool, type Attach, type AttachInput } from './attach.ts'
import { bashTool, type BashInput } from './bash.ts'
import { editTool, type EditInput } from './edit.ts'
import { globTool, type GlobInput } from './glob.ts'
import { grepTool, type GrepInput } from './grep.ts'
import { chooseRedact, createOutputs } from './outputs.ts'
import { workspacePathRule } from './path-rule.ts'
import { sandboxedPathRule } from './sandboxed-path-rule.ts'
import { readToolOutputTool, type ReadToolOutputInput } from './read-tool-output.ts'
import { readTool, type ReadInput } from './read.ts'
import type { Refusal } from './refusal.ts'
import { openRoots, type Roots, type WorkspaceRoot } from './roots.ts'
import { createSeenPlaces } from './seen-places.ts'
import { keepShownCalls, rememberShownCalls } from './shown-calls.ts'
import { createSeenFiles } from './text-file.ts'
import type { ToolKit, WorkspaceTool } from './tool-kit.ts'
import { toAiTool, type ApproveCall } from './to-ai-tool.ts'
import { findLeftWrites } from './unfinished-writes.ts'
import { hasHidden } from './visible-name.ts'
import { writeTool, type WriteInput } from './write.ts'

/** Options of {@link createWorkspaceTools}. */
export interface WorkspaceToolsOptions {
  /** The folder that the tools work in. It must exist. */
  readonly root: string
  /** More folders, by the name that paths begin with: `state:notes.md`. */
  readonly roots?: Readonly<Record<string, string | WorkspaceRoot>>
  /**
   * What runs the commands of `bash`: a shell that is simulated in this process and sees nothing but
   * the roots (default), or the one of the system.
   */
  readonly shell?: 'simulated' | 'system'
  /** Commands that are let through, asked about and refused, beside what is known of them. */
  readonly commands?: Pick<CommandRules, 'allow' | 'ask' | 'deny'>
  /** More variables for the commands of the shell of the system. */
  readonly env?: Readonly<Record<string, string>>
  /** Path of bash. Default: `/bin/bash`. */
  readonly shellPath?: string
  /**
   * More folders that the commands of the shell of the system may read: programs that are not on the
   * path, and what belongs to them.
   */
  readonly programFolders?: readonly string[]
  /** More paths that a person is asked about when they are read; from their root on. */
  readonly sensitive?: (path: string) => boolean
  /** Takes the files that the model hands to the person; without it there is no tool for that. */
  readonly attach?: Attach
  /** Masks secrets in outputs. Default: known values, names and patterns; `false`: nothing is masked. */
  readonly redact?: Redact | false
  /** Secrets themselves, such as the values of environment variables. */
  readonly knownValues?: readonly string[]
  /** Told of every path and command that is refused; the model is told once it has resolved. */
  readonly onRefused?: (refusal: Refusal) => unknown
  /** Milliseconds that a command may run. Default 30,000. */
  readonly timeoutMs?: number
  /** Milliseconds between the polite end of a command and the one for certain. Default 2,000. */
  readonly graceMs?: number
  /** Default 2,000. */
  readonly maxOutputLines?: number
  /** UTF-8 bytes. Default 51,200. */
  readonly maxOutputBytes?: number
  /** Bytes of a file that is read, changed or handed over. Default 20,000,000. */
  readonly maxFileBytes?: number
  /**
   * Where it is noted which changes `write`, `edit` and the simulated shell asked about, so that a yes is good
   * after the process was started again, and in another one; no folder of the tools. Default: nowhere. Such a
   * call is refused and made again.
   */
  readonly shownFolder?: string
  /** Where whole outputs are kept that were cut. Default: a folder of its own for temporary files. */
  readonly outputFolder?: string
}

/** The tools of a workspace, by their names. */
export type WorkspaceToolSet = {
  read: Tool<ReadInput, string>
  write: Tool<WriteInput, string>
  edit: Tool<EditInput, string>
  bash: Tool<BashInput, string>
  glob: Tool<GlobInput, string>
  grep: Tool<GrepInput, string>
  readToolOutput: Tool<ReadToolOutputInput, string>
}

/** The same with `attach`. */
export type AttachingToolSet = WorkspaceToolSet & { attach: Tool<AttachInput, string> }

type InputOf<TOOL> = TOOL extends Tool<infer INPUT, string> ? INPUT : never

/** What {@link createWorkspaceTools} makes. */
export interface WorkspaceTools<TOOLS extends WorkspaceToolSet = WorkspaceToolSet> {
  /** For `streamText` and for `toolPlugin`. */
  readonly tools: TOOLS
  /** For the option `toolOptions` of `toolPlugin`: what the cards show. */
  readonly toolOptions: { readonly [NAME in keyof TOOLS]: ToolOptions<InputOf<TOOLS[NAME]>> }
  /** For the option `toolApproval` of `streamText` and of `toolPlugin`: what is asked about, and why. */
  readonly toolApproval: {
    readonly [NAME in keyof TOOLS]: ApproveCall<InputOf<TOOLS[NAME]>>
  }
  /** Deletes the outputs that are kept, and ends the threads of the simulated shell. */
  dispose(): void
}

/**
 * Makes tools with which a model works in a folder: `read`, `write`, `edit`, `bash`, `glob`, `grep`,
 * `readToolOutput`, and `attach` when that is given. Paths are confined by where they really lead to;
 * what may hold secrets, what writes, and commands that are not known to be harmless ask first. What
 * is refused throws a `WorkspaceRefusal`, whose message the model reads.
 *
 * Give `toolApproval` along: it says why it asks, and refuses what a rule forbids. The tools ask
 * without it, too.
 *
 * Throws a `TypeError` for a root that is no folder, and in a bundle without the thread of the simulated shell, a
 * `RangeError` for a rule of commands that could let through more than it says.
 */
export function createWorkspaceTools(
  options: WorkspaceToolsOptions & { attach: Attach },
): WorkspaceTools<AttachingToolSet>
export function createWorkspaceTools(options: WorkspaceToolsOptions): WorkspaceTools
export function createWorkspaceTools(
  options: WorkspaceToolsOptions,
): WorkspaceTools | WorkspaceTools<AttachingToolSet> {
  const {
    sensitive,
    attach,
    commands = {},
    timeoutMs = 30_000,
    maxFileBytes = 20_000_000,
  } = options
  const isSensitive = (path: string) =>
    isSensitivePath(path) || sensitive?.(path.replace(/\/$/, '')) === true
  const roots = openRoots(options.root, options.roots, isSensitive)
  const { shownFolder } = options
  if (shownFolder !== undefined && isSeen(roots, shownFolder)) {
    throw new TypeError(
      `The shownFolder ${shownFolder} is in a folder of the tools. Name another one.`,
    )
  }
  const redact = chooseRedact(options.redact, options.knownValues ?? [])
  const judgePaths = workspacePathRule(roots, isSensitive)
  const judgePathsInSandbox = sandboxedPathRule(roots, isSensitive)
  const judge: JudgeCommand = (command) => judgeCommandOnDisk(command, commands, judgePaths)
  // Bad rules are told at once, not with the first command.
  judgeCommand('true', commands)
  const {
    maxOutputLines: maxLines = 2_000,
    maxOutputBytes: maxBytes = 51_200,
    outputFolder,
  } = options
  const outputs = createOutputs({
    maxLines,
    maxBytes,
    redact,
    ...(outputFolder && { folder: outputFolder }),
  })
  const shown = shownFolder === undefined ? rememberShownCalls() : keepShownCalls(shownFolder)
  const seen = createSeenFiles()
  const places = createSeenPlaces(roots)
  const kit: ToolKit = { roots, outputs, redact, seen, places, shown, maxFileBytes }
  const kind: unknown = options.shell ?? 'simulated'
  if (kind !== 'simulated' && kind !== 'system') {
    throw new RangeError(`shell is 'simulated' or 'system', not ${JSON.stringify(kind)}.`)
  }
  const shell: Shell =
    kind === 'system'
      ? systemShell({
          judge,
          judgeInSandbox: (command) => judgeCommandOnDisk(command, commands, judgePathsInSandbox),
          roots: roots.all,
          isSensitive,
          programFolders: options.programFolders,
          env: options.env,
          shellPath: options.shellPath,
          graceMs: options.graceMs ?? 2_000,
        })
      : simulatedShell({
          judge,
          roots,
          sensitive,
          redact,
          maxFileBytes,
          timeoutMs,
          shown,
        })
  const surroundings = {
    onRefused: options.onRefused,
    findLeft: () => findLeftWrites(roots, maxFileBytes),
  }

  /**
   * A standing permission covers no file that may hold secrets, nothing of Git and of a repository, no name that deceives, and
   * nothing that a link takes elsewhere.
   */
  function guarded<INPUT extends { readonly path?: string | undefined }>(
    spec: WorkspaceTool<INPUT>,
  ): WorkspaceTool<INPUT> {
    const exactOnly = ({ path = '.' }: INPUT) => {
      const inner = path.replace(/^[\w-]+:/, '')
      const isDeceptive = hasHidden(path) || lookAlikeInWords(path) !== undefined
      const isOfGit = /(?:^|[/\\])\.git(?:[/\\]|$)/i.test(inner)
      const straight = roots.withoutLinks(path)
      const root = straight === undefined ? undefined : roots.rootOf(straight)
      const isOfBare = straight !== undefined && root && isInRepository(straight, root.path)
      return places.isLed(path) || isDeceptive || isSensitive(inner) || isOfGit || isOfBare === true
    }
    const clear: typeof spec.clear = (input, call) => {
      if (!call.isDecided && !call.isStarting) places.isLed(input.path ?? '.')
      return spec.clear(input, call)
    }
    return { ...spec, clear, options: { ...spec.options, exactOnly } }
  }

  const made = {
    read: toAiTool('read', guarded(readTool(kit)), surroundings),
    write: toAiTool('write', guarded(writeTool(kit)), surroundings),
    edit: toAiTool('edit', guarded(editTool(kit)), surroundings),
    bash: toAiTool('bash', bashTool(kit, { shell, timeoutMs }), surroundings),
    glob: toAiTool('glob', globTool(kit), surroundings),
    grep: toAiTool('grep', guarded(grepTool(kit)), surroundings),
    readToolOutput: toAiTool('readToolOutput', readToolOutputTool(kit), surroundings),
  }
  const dispose = () => {
    outputs.dispose()
    shell.dispose?.()
  }
  const tools = {
    read: made.read.tool,
    write: made.write.tool,
    edit: made.edit.tool,
    bash: made.bash.tool,
    glob: made.glob.tool,
    grep: made.grep.tool,
    readToolOutput: made.readToolOutput.tool,
  }
  const toolOptions = {
    read: made.read.options,
    write: made.write.options,
    edit: made.edit.options,
    bash: made.bash.options,
    glob: made.glob.options,
    grep: made.grep.options,
    readToolOutput: made.readToolOutput.options,
  }
  const toolApproval = {
    read: made.read.approve,
    write: made.write.approve,
    edit: made.edit.approve,
    bash: made.bash.approve,
    glob: made.glob.approve,
    grep: made.grep.approve,
    readToolOutput: made.readToolOutput.approve,
  }
  if (!attach) return { tools, toolOptions, toolApproval, dispose }
  const one = toAiTool('attach', guarded(attachTool(kit, attach)), surroundings)
  return {
    tools: { ...tools, attach: one.tool },
    toolOptions: { ...toolOptions, attach: one.options },
    toolApproval: { ...toolApproval, attach: one.approve },
    dispose,
  }
}

/** Whether the tools can get at a folder. */
function isSeen(roots: Roots, folder: string): boolean {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return roots.rootOf(realpathSync.native(folder)) !== undefined
}
