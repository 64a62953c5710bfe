import type { Redact } from '@assent/engine/redaction'
import { isInRepository, OF_REPOSITORY } from '../../bare-repository.ts'
import { WorkspaceRefusal } from '../../refusal.ts'
import type { Roots } from '../../roots.ts'
import { NOT_KNOWN, type ShownCalls } from '../../shown-calls.ts'
import type { Clearance, QuestionedCall } from '../../tool-kit.ts'
import { clearanceOf } from '../clearance-of.ts'
import type { JudgeCommand } from '../judge-command.ts'
import { withLookAlike } from '../look-alikes.ts'
import type { Shell, ShellInput, ShellRequest, ShellResult } from '../shell.ts'
import { LastUsed } from '../system/last-used.ts'
import { worstRisk, type CommandRisk } from '../verdict.ts'
import { visibleName } from '../../visible-name.ts'
import { noteWrite } from '../../unfinished-writes.ts'
import { withWriteLock } from '../../write-lock.ts'
import { visibleCommand } from '../visible-command.ts'
import { createKeptRuns } from './kept-runs.ts'
import type { Change, OverlayOutcome } from './overlay-run.ts'
import { createOverlayThreads } from './overlay-threads.ts'
import { previewedFiles, fingerprintOf, riskOfRun, sentenceOf } from './show-changes.ts'
import { findStale, notWritten, partlyWritten, plannedOf, writeChanges } from './write-changes.ts'

/** Options of {@link simulatedShell}. */
export interface SimulatedShellOptions {
  /** Says what becomes of a command. */
  readonly judge: JudgeCommand
  readonly roots: Roots
  /** The app's own rule about sensitive paths, beside what is known of them. */
  readonly sensitive: ((path: string) => boolean) | undefined
  readonly redact: Redact
  readonly maxFileBytes: number
  readonly timeoutMs: number
  /** What was asked about. */
  readonly shown: ShownCalls
}

/** Milliseconds of the run that says whether a call asks: less than the 10 s that a rule has. */
const CHECK_MS = 6_000
const MOST_NAMED = 20
const DELETING: ReadonlySet<Change['kind']> = new Set(['delete', 'delete-link', 'remove-folder'])
const PLACE = 'in the simulated shell'
/** Commands whose risk is remembered. */
const MOST_RISKS = 1_000

/**
 * A shell that is simulated, in threads: no programs, no network, and no files but a copy of the
 * folders. A command runs over the copy before anybody is asked. When it changes nothing, its output is
 * the result; when it does, its changes are what a person is asked about, and what is written after the
 * yes. The command is not run again.
 */
export function simulatedShell(options: SimulatedShellOptions): Shell {
  const { judge, roots, sensitive, redact, maxFileBytes, shown } = options
  const [first, ...others] = roots.all
  const folders = [first, ...others].map(({ path, access }) => ({ path, access }))
  const cwd = first.path
  const threads = createOverlayThreads(sensitive)
  const kept = createKeptRuns()
  const running = new Map<string, Promise<OverlayOutcome>>()
  /** What commands that were asked about do. */
  const risks = new LastUsed<CommandRisk>(MOST_RISKS)
  const place = { roots, maxFileBytes }
  const keyOf = (...call: [command: string, toolCallId: string]) => JSON.stringify(call)

  function runOver(command: string, timeoutMs: number, signal?: AbortSignal) {
    const [root = { path: cwd, access: first.access }, ...more] = folders
    return threads.run({ command, folders: [root, ...more], maxFileBytes, timeoutMs, signal })
  }

  /** What a command does, from a run over a copy that its call shares. */
  async function look(command: string, toolCallId: string): Promise<OverlayOutcome> {
    const key = keyOf(command, toolCallId)
    const before = kept.get(key) ?? running.get(key)
    if (before) return before
    const run = runOver(command, Math.min(CHECK_MS, options.timeoutMs))
    running.set(key, run)
    try {
      const outcome = await run
      kept.put(key, outcome)
      return outcome
    } finally {
      running.delete(key)
    }
  }

  async function clear(
    { command }: ShellInput,
    { toolCallId, isDecided }: QuestionedCall,
  ): Promise<Clearance> {
    const judgement = await judge(command)
    if (judgement.verdict === 'deny') return clearanceOf(judgement, command)
    const outcome = await look(command, toolCallId)
    // After a yes nothing is shown any more.
    if (!isDecided) shown.note(keyOf(command, toolCallId), fingerprintOf(outcome))
    const { ended, changes } = outcome
    const risk = riskOfRun(outcome)
    if (risk !== 'read') risks.set(command, worstRisk([risk, risks.get(command) ?? 'read']))
    // What a rule of the app names, or may, asks whatever it changes.
    const ruled = judgement.parts.filter(({ mayFallUnderRule }) => mayFallUnderRule)
    const byRule = clearanceOf({ ...judgement, parts: ruled }, command)
    if (ended === 'timeout') return { verdict: 'ask', reason: unfinished(options.timeoutMs) }
    if (changes.length === 0) return byRule
    const plain = new Set<string>()
    const isOfGit = changes.some(({ path }) =>
      isInRepository(path, roots.rootOf(path)?.path ?? path, plain),
    )
    const said = sentenceOf(changes, roots.show) + (isOfGit ? ` ${OF_REPOSITORY}` : '')
    const sentence = withLookAlike(said, command)
    const reason = byRule.verdict === 'allow' ? sentence : `${byRule.reason} ${sentence}`
    return { verdict: 'ask', reason }
  }

  async function run(request: ShellRequest): Promise<ShellResult> {
    const { input, toolCallId, clearance, timeoutMs, signal } = request
    const { command } = input
    const key = keyOf(command, toolCallId)
    const before = kept.take(key)
    const agreed = shown.take(key)
    if (signal?.aborted) return { exitCode: null, signal: null, ended: 'aborted', place: PLACE }
    if (clearance.verdict === 'allow') {
      const outcome = before ?? (await runOver(command, timeoutMs, signal))
      if (outcome.changes.length > 0) throw changed(command, outcome)
      return tell(outcome, request, [])
    }
    if (agreed === undefined) {
      throw new WorkspaceRefusal('changed', command, `nothing was changed: ${NOT_KNOWN}`)
    }
    const isUnfinished = agreed === 'timeout'
    const isKept = before && !isUnfinished && !(await findStale(before.changes, place))
    const outcome = isKept ? before : await runOver(command, timeoutMs, signal)
    if (!isUnfinished && fingerprintOf(outcome) !== agreed) throw changed(command, outcome)
    return tell(outcome, request, await write(outcome, request))
  }

  /** Writes what was approved; what was written, as the model reads it. */
  async function write(
    { changes }: OverlayOutcome,
    { input: { command }, signal }: ShellRequest,
  ): Promise<readonly string[]> {
    if (changes.length === 0) return []
    const paths = changes.map(({ path }) => path)
    const written = await withWriteLock(paths, { subject: command, signal }, async () => {
      const failed = await findStale(changes, place)
      if (failed) return notWritten(changes, failed)
      return noteWrite(command, changes.map(plannedOf), () => writeChanges(changes, place))
    })
    if (written.failed) throw partlyWritten(command, written, roots.show)
    const deleted = changes.filter(({ kind }) => DELETING.has(kind)).map(({ path }) => path)
    const rest = written.done.filter((path) => !deleted.includes(path))
    return [
      ...(rest.length > 0 ? [`Written: ${named(rest)}.`] : []),
      ...(deleted.length > 0 ? [`Deleted: ${named(deleted)}.`] : []),
    ]
  }

  function named(paths: readonly string[]): string {
    const names = paths.slice(0, MOST_NAMED).map((path) => visibleName(roots.show(path)))
    const more = paths.length - names.length
    return names.join(', ') + (more > 0 ? ` and ${more} more` : '')
  }

  function changed(command: string, outcome: OverlayOutcome): WorkspaceRefusal {
    const now = outcome.changes.length > 0 ? ` ${sentenceOf(outcome.changes, roots.show)}` : ''
    const message = `nothing was changed: files have changed since a person was shown what it does.${now} Call again, so that one sees it.`
    return new WorkspaceRefusal('changed', command, message)
  }

  return {
    about:
      'The shell is simulated: it has the usual text tools, no network, and no other programs. ' +
      'Its changes are kept after a person has seen them.',
    rights: [],
    clear,
    run,
    riskSeen: (command) => risks.get(command),
    async preview({ command }, { toolCallId }) {
      const { ended, changes } = await look(command, toolCallId)
      const isSeen = ended === 'exited' && changes.length > 0
      const files = isSeen && previewedFiles(changes, { show: roots.show, redact })
      return { kind: 'command', command: visibleCommand(command), cwd, ...(files && { files }) }
    },
    dispose() {
      threads.close()
      kept.clear()
    },
  }
}

function unfinished(timeoutMs: number): string {
  const seconds = Math.min(CHECK_MS, timeoutMs) / 1_000
  return (
    `What it changes is not known: it did not finish within ${seconds} s over a copy. ` +
    'Approved, it may change any file of the workspace.'
  )
}

/** Hands over what a run has printed, and says how it ended. */
function tell(
  { ended, exitCode, output, notes }: OverlayOutcome,
  { onOutput }: ShellRequest,
  more: readonly string[],
): ShellResult {
  if (output !== '') onOutput(output)
  const note = [...notes, ...more].join(' ')
  const how = ended === 'failed' ? 'exited' : ended
  const code = ended === 'failed' ? (exitCode ?? 1) : exitCode
  return { exitCode: code, signal: null, ended: how, place: PLACE, ...(note !== '' && { note }) }
}
