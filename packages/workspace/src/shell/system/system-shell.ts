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
import type { Credentials } from '../sandbox/credentials.ts'
import { watchForMissingRights } from '../sandbox/missing-right.ts'
import { isSandbox, probeSandbox } from '../sandbox/probe-sandbox.ts'
import { SandboxError, type NoSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import type { ViewedFolder } from '../sandbox/sandbox-view.ts'
import { createViews, type Survey } from '../sandbox/view-of.ts'
import { withLookAlike } from '../look-alikes.ts'
import type { RunResult, Shell, ShellInput, ShellRequest } from '../shell.ts'
import { commandEnvironment } from './environment.ts'
import { LastUsed } from './last-used.ts'
import { createLackedRights } from './lacked-rights.ts'
import { hiddenInWords, rightsInWords } from './rights-in-words.ts'
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
  /** What a card says of a call, by its input. */
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

  async function clear(input: ShellInput, call: QuestionedCall): Promise<Clearance> {
    const { command, rights: wanted = [] } = input
    if (!isSandbox(place)) return clearWithout(place, input, call)
    const judgement = await judgeInSandbox(command)
    if (judgement.verdict === 'deny') return clearanceOf(judgement, command)
    // Before it runs, everything is looked at again.
    const last = await views.lastSurvey()
    const { failure } = last
    const rights = rightsOf(judgement, wanted, last)
    if (rights.size === 0 && needsNoQuestion(judgement)) {
      note(input, call)
      return ALLOWED
    }
    const survey = rights.has('credentials') ? await views.survey() : undefined
    const credentials = survey && views.credentials(judgement.names, survey)
    const may = rightsInWords(rights, credentials, show)
    note(input, call, extentOf(rights, credentials))
    named.set(JSON.stringify([command, wanted]), may)
    const asked = clearanceOf(judgement, command)
    const reason = [
      asked.verdict === 'allow' ? '' : asked.reason,
      failure ?? '',
      may === '' ? 'In its sandbox it can change nothing.' : `It may ${may}.`,
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
      reason: `${why}It runs without a sandbox, so it may do all that this user may. ${reason}`,
    }
  }

  async function run(request: ShellRequest): Promise<RunResult> {
    const { input, clearance } = request
    if (isSandbox(place)) return runInside(place, request)
    if (clearance.verdict !== 'ask') throw new SandboxError(place.reason)
    checkAsked(input, request, WITHOUT_SANDBOX)
    const { argv = inShell(input.command) } = await judge(input.command)
    const [file = shellPath, ...args] = argv
    return runBare({ ...request, argv: [file, ...args], cwd, env: environment(), graceMs })
  }

  /** What the view is made of may go while it is made: a command that has not run is tried once more. */
  async function runInside(sandbox: Sandbox, request: ShellRequest): Promise<RunResult> {
    try {
      return await runOnce(sandbox, request)
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error
      return await runOnce(sandbox, request)
    }
  }

  async function runOnce(sandbox: Sandbox, request: ShellRequest): Promise<RunResult> {
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
    const note = [lacked.note(command, rights, missing.found(result)), taken]
    return { ...result, note: note.filter((text) => text !== '').join(' ') || undefined }
  }

  return {
    about: isSandbox(place)
      ? `Commands run in a sandbox (${place.name}): ${ABOUT_SANDBOX}`
      : `A person is asked about every command, since there is no sandbox here. ${place.reason} ${place.mend}`,
    rights: RIGHTS,
    clear,
    run,
    summary: ({ command, rights = [] }) => {
      const line = firstOfCommand(command)
      const may = named.get(JSON.stringify([command, rights])) ?? rightsInWords(new Set(rights))
      return may === '' || !isSandbox(place) ? `Run ${line}` : `Run ${line} and let it ${may}`
    },
    preview: ({ command }) => ({ kind: 'command', command: visibleCommand(command), cwd }),
  }
}

function keyOf({ command, rights = [] }: ShellInput): string {
  return JSON.stringify([command, rights])
}

/** All that rights come to, so that two of them can be compared. */
function extentOf(rights: ReadonlySet<Right>, credentials: Credentials | undefined): string {
  if (!credentials) return JSON.stringify([...rights])
  const { inWorkspace, isAll, inHome, agentSocket } = credentials
  const paths = isAll ? 'all' : inWorkspace.map(({ path }) => path).toSorted()
  return JSON.stringify([[...rights], paths, inHome, agentSocket])
}

/** What a command needs: what the model says, and what is known of its programs. */
function rightsOf(
  { parts }: CommandJudgement,
  wanted: readonly Right[] = [],
  { failure, repositories }: Survey,
): ReadonlySet<Right> {
  const needed = new Set([...wanted, ...parts.flatMap((part) => part.needs ?? [])])
  // What cannot be hidden or kept as it is, a person is asked for.
  if (failure !== undefined) needed.add('credentials')
  if (!repositories && needed.has('write')) needed.add('git-settings')
  return new Set(RIGHTS.filter((right) => needed.has(right)))
}

/** Nothing asks, or only that nothing is known of it: the sandbox permits no harm. */
function needsNoQuestion({ parts }: CommandJudgement): boolean {
  return parts.every(({ verdict, isUnknown }) => verdict === 'allow' || isUnknown === true)
}
