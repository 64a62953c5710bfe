import { relative } from 'node:path'
import { isInside } from '../../roots.ts'
import { firstOfCommand, visibleCommand } from '../visible-command.ts'
import { homeFolder } from '../sandbox/home-folder.ts'
import { WorkspaceRefusal } from '../../refusal.ts'
import { visibleName } from '../../visible-name.ts'
import { ALLOWED, type Clearance, type QuestionedCall } from '../../tool-kit.ts'
import { clearanceOf } from '../clearance-of.ts'
import type { CommandJudgement, JudgeCommand } from '../judge-command.ts'
import { RIGHTS, type Right } from '../rights.ts'
import { watchForMissingRights } from '../sandbox/missing-right.ts'
import { isSandbox, probeSandbox } from '../sandbox/probe-sandbox.ts'
import { SandboxError, type NoSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import type { ViewedFolder } from '../sandbox/sandbox-view.ts'
import { createViews } from '../sandbox/view-of.ts'
import { withLookAlike } from '../look-alikes.ts'
import type { RunResult, Shell, ShellInput, ShellRequest, ShellResult } from '../shell.ts'
import { commandEnvironment } from './environment.ts'
import { LastUsed } from './last-used.ts'
import { createLackedRights } from './lacked-rights.ts'
import { hiddenInWords, rightsInWords } from './rights-in-words.ts'
import { extentOf, needsNoQuestion, rightsOf } from './needed-rights.ts'
import { runBare } from './run-bare.ts'
import { warnOfSurroundings } from './warn-of-surroundings.ts'

/** Options of {@link systemShell}. */
export interface SystemShellOptions {
  /** Says what becomes of a command where there is no sandbox. */
  readonly judge: JudgeCommand
  /** The same where one hides what may hold secrets, and everything outside. */
  readonly judgeInSandbox: JudgeCommand
  /** Real paths of the workspace; commands start in the first. */
  readonly roots: readonly [ViewedFolder, ...ViewedFolder[]]
  readonly isSensitive: (path: string) => boolean
  /** More folders that commands may read. */
  readonly programFolders?: readonly string[] | undefined
  /** More variables for commands. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Path of bash. */
  readonly shellPath?: string | undefined
  /** Milliseconds between the polite end of a command and the one for certain. */
  readonly graceMs: number
}

/** All that this user may. */
const WITHOUT_SANDBOX = 'without a sandbox'
const BARE = 'It runs without a sandbox, so it may do all that this user may.'
/** As shells say that a process was ended by `SIGXCPU`. */
const CPU_TIME_OVER = 152
/** Cards that are remembered. */
const MOST_CARDS = 1_000

const WHOLE_MACHINE: NoSandbox = {
  reason: 'The workspace is the whole machine.',
  mend: 'Name a folder of it.',
}

const ABOUT_SANDBOX =
  'they can read the workspace, but for files that may hold secrets, and ' +
  'the programs of the system. Nothing else is there: no network, no home folder, and changes fail. ' +
  'Name in rights what a command needs beyond that, and nothing more: a person is asked for it.'

/**
 * The shell of the system, with the programs that are installed. Each command runs in a sandbox of the
 * operating system that lets it read the workspace and nothing else; what needs more is asked about,
 * and gets the rights that the question has named. Where no sandbox works every command is asked about.
 */
export function systemShell(options: SystemShellOptions): Shell {
  const { judge, judgeInSandbox, roots, isSensitive, graceMs } = options
  const { shellPath = '/bin/bash', programFolders = [] } = options
  const [{ path: cwd }] = roots
  const folders = roots.map(({ path }) => path)
  const lacked = createLackedRights()
  /** What a card says that a yes permits, by the input. */
  const named = new LastUsed<string>(MOST_CARDS)
  /** What was asked about, by the id of the call and its input, with the extent where a person was asked. */
  const askedAbout = new LastUsed<ReadonlyMap<string, string>>(MOST_CARDS)
  const path = commandEnvironment(process.env, folders, options.env)['PATH'] ?? ''
  // Found out once: a card that tells of a sandbox must not end in a run without one.
  const place = folders.includes('/') ? WHOLE_MACHINE : probeSandbox({ path, shellPath })
  warnOfSurroundings(place)
  const views = createViews({
    roots,
    isSensitive,
    programFolders,
    home: homeFolder(),
    sandboxHome: isSandbox(place) ? place.home : homeFolder(),
    agentSocket: process.env['SSH_AUTH_SOCK'],
  })

  /** A path from where commands start on, if it is there, with nothing in it that deceives. */
  const show = (path: string) => visibleName(isInside(cwd, path) ? relative(cwd, path) : path)
  const inShell = (command: string) => [shellPath, '--noprofile', '--norc', '-c', command]

  function environment(home?: string): Record<string, string> {
    const uid = process.getuid?.()
    return commandEnvironment(process.env, folders, options.env, { home, uid, workspace: cwd })
  }

  /** What a command would get in the sandbox. Before it runs, everything is looked at again. */
  async function extentFor(input: ShellInput, judgement: CommandJudgement) {
    const last = await views.lastSurvey()
    const rights = rightsOf(judgement, input.rights, last)
    const survey = rights.has('credentials') ? await views.survey() : undefined
    const credentials = survey && views.credentials(judgement.names, survey)
    const may = rightsInWords(rights, credentials, show)
    named.set(keyOf(input), may)
    return { failure: last.failure, rights, credentials, may }
  }

  async function clear(input: ShellInput, call: QuestionedCall): Promise<Clearance> {
    const { command } = input
    if (!isSandbox(place)) return clearWithout(place, input, call)
    const judgement = await judgeInSandbox(command)
    if (judgement.verdict === 'deny') return clearanceOf(judgement, command)
    const { failure, rights, credentials, may } = await extentFor(input, judgement)
    if (rights.size === 0 && needsNoQuestion(judgement)) {
      note(input, call)
      return ALLOWED
    }
    note(input, call, extentOf(rights, credentials))
    const asked = clearanceOf(judgement, command)
    const reason = [
      asked.verdict === 'allow' ? '' : asked.reason,
      failure ?? '',
      permitted(may),
      credentials ? hiddenInWords(credentials, show) : '',
      lacked.reminder(command),
    ]
    return { verdict: 'ask', reason: withLookAlike(reason.filter((text) => text !== '').join(' ')) }
  }

  /**
   * Keeps what stands on a card. After a yes nothing is shown any more: then it counts only where the id
   * is not known, as after a restart, and only if whoever asks for yeses says so.
   */
  function note(input: ShellInput, call: QuestionedCall, extent?: string): void {
    const { toolCallId, isDecided, isStarting } = call
    if (isStarting) return
    const known = askedAbout.get(toolCallId)
    if (known && (isDecided || known.has(keyOf(input)))) return
    askedAbout.set(
      toolCallId,
      new Map([
        ...(known ?? []),
        ...(extent === undefined ? [] : [[keyOf(input), extent] as const]),
      ]),
    )
  }

  /** Refuses what no person was asked about under the id of this call, whoever runs it. */
  function checkAsked(input: ShellInput, { toolCallId }: ShellRequest, extent: string): void {
    const asked = askedAbout.get(toolCallId)?.get(keyOf(input))
    if (asked === extent) return
    const why =
      asked === undefined
        ? 'no person was asked about this command with these rights. Call again.'
        : 'it needs other rights by now than a person was asked about. Call again.'
    throw new WorkspaceRefusal('changed', input.command, why)
  }

  async function clearWithout(
    { reason }: NoSandbox,
    input: ShellInput,
    call: QuestionedCall,
  ): Promise<Clearance> {
    const { command } = input
    const asked = clearanceOf(await judge(command), command)
    if (asked.verdict === 'deny') return asked
    note(input, call, WITHOUT_SANDBOX)
    const why = asked.verdict === 'ask' ? `${asked.reason} ` : ''
    return {
      verdict: 'ask',
      reason: `${why}${BARE} ${reason}`,
    }
  }

  async function run(request: ShellRequest): Promise<ShellResult> {
    const { input, clearance } = request
    if (isSandbox(place)) return runInside(place, request)
    if (clearance.verdict !== 'ask') throw new SandboxError(place.reason)
    checkAsked(input, request, WITHOUT_SANDBOX)
    const { argv = inShell(input.command) } = await judge(input.command)
    const [file = shellPath, ...args] = argv
    const bare = { ...request, argv: [file, ...args], cwd, env: environment(), graceMs } as const
    return { ...(await runBare(bare)), place: 'without a sandbox' }
  }

  /** What the view is made of may go while it is made: a command that has not run is tried once more. */
  async function runInside(sandbox: Sandbox, request: ShellRequest): Promise<ShellResult> {
    try {
      return await runOnce(sandbox, request)
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error
      return await runOnce(sandbox, request)
    }
  }

  async function runOnce(sandbox: Sandbox, request: ShellRequest): Promise<ShellResult> {
    const { input, clearance, timeoutMs, signal, onOutput } = request
    const { command } = input
    const judgement = await judgeInSandbox(command)
    const survey = await views.survey()
    const isAsked = clearance.verdict === 'ask'
    if (survey.failure !== undefined && !isAsked) throw new SandboxError(survey.failure)
    const rights = isAsked ? rightsOf(judgement, input.rights, survey) : new Set<Right>()
    const credentials = rights.has('credentials')
      ? views.credentials(judgement.names, survey)
      : undefined
    if (isAsked) checkAsked(input, request, extentOf(rights, credentials))
    const env = environment(sandbox.home)
    const viewed = { names: judgement.names, rights, env, mostMs: timeoutMs + graceMs }
    const { view, afterwards } = await views.view(viewed, survey)
    const missing = watchForMissingRights(rights)
    let taken = ''
    let result: RunResult
    try {
      result = await sandbox.run({
        argv: judgement.argv ?? inShell(command),
        env: { ...env, ...(view.agentSocket && { SSH_AUTH_SOCK: view.agentSocket }) },
        view,
        timeoutMs,
        graceMs,
        signal,
        onOutput: (text, from) => {
          missing.add(text, from)
          onOutput(text)
        },
      })
    } finally {
      taken = await afterwards()
    }
    const note = [
      lacked.note(command, rights, missing.found(result)),
      taken,
      result.exitCode === CPU_TIME_OVER ? overTime(view.limits.cpuSeconds) : '',
    ]
    const place = `in ${sandbox.name} ${rights.size === 0 ? 'without rights' : `with the rights ${[...rights].join(', ')}`}`
    return { ...result, place, note: note.filter((text) => text !== '').join(' ') || undefined }
  }

  return {
    about: isSandbox(place)
      ? `Commands run in a sandbox (${place.name}): ${ABOUT_SANDBOX}`
      : `A person is asked about every command, since there is no sandbox here. ${place.reason} ${place.mend}`,
    rights: RIGHTS,
    clear,
    run,
    summary: (input) => {
      const line = firstOfCommand(input.command)
      const may = named.get(keyOf(input)) ?? rightsInWords(new Set(input.rights))
      return may === '' || !isSandbox(place) ? `Run ${line}` : `Run ${line} and let it ${may}`
    },
    async preview(input) {
      const { command } = input
      const rights = isSandbox(place)
        ? permitted((await extentFor(input, await judgeInSandbox(command))).may)
        : BARE
      return { kind: 'command', command: visibleCommand(command), cwd, rights }
    },
  }
}

function overTime(seconds: number): string {
  return `Exit code ${CPU_TIME_OVER} is that of a process that has computed for ${seconds} s, the most that it may.`
}

/** What a yes permits, in a sentence. */
function permitted(may: string): string {
  return may === '' ? 'In its sandbox it can change nothing.' : `It may ${may}.`
}

function keyOf({ command, rights = [] }: ShellInput): string {
  return JSON.stringify([command, rights])
}
