// Runs in a thread of its own: nothing here may import a package of the workspace, since the thread is
// started without the bundler, or the loader, that the server may have.
import { posix } from 'node:path'
import { parentPort } from 'node:worker_threads'
import { Bash } from 'just-bash'
import { findChanges, TooManyChanges, type FoundChanges } from './find-changes.ts'
import { OverlayFiles } from './overlay-files.ts'
import type { FromThread, OverlayOrder, OverlayOutcome, ToThread } from './overlay-run.ts'
import { inOurWords } from './in-our-words.ts'
import { removeCommand } from './remove-command.ts'
import { openView } from './view.ts'

/** Characters of an output. */
const LONGEST_OUTPUT = 8_000_000
/** Paths that a note names. */
const MOST_NAMED = 5

const port = parentPort
if (!port) throw new Error('The overlay runs in a thread of its own.')
const tell = (message: FromThread) => port.postMessage(message)

const asked = new Map<string, (isSensitive: boolean) => void>()

/** Asks the app's rule about a path. */
function askRule(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  asked.set(path, resolve)
  tell({ type: 'ask', path })
  return promise
}

async function run(order: OverlayOrder): Promise<OverlayOutcome> {
  const { command, folders, maxFileBytes, hasOwnRule, timeoutMs } = order
  const started = performance.now()
  const view = openView(folders, hasOwnRule ? askRule : undefined, maxFileBytes)
  const [first, ...others] = folders
  const paths = [first.path, ...others.map(({ path }) => path)] as const
  const files = new OverlayFiles(view, paths, maxFileBytes)
  const { output, exitCode } = await execute(files, command, first.path, timeoutMs)
  const notes = [...files.notes, ...leftOutInWords(view.leftOut, first.path)]
  if (performance.now() - started >= timeoutMs) {
    return { ended: 'timeout', exitCode: null, output, changes: [], notes }
  }
  const { changes, scratch, moved } = await look(files, view, notes)
  if (scratch.length > 0) {
    notes.push(`Outside of the workspace nothing is kept: ${scratch.slice(0, 5).join(', ')}.`)
  }
  if (moved !== undefined) {
    notes.push(`${moved} was changed by somebody else meanwhile. Nothing is done. Try again.`)
    return { ended: 'failed', exitCode, output, changes: [], notes }
  }
  return { ended: 'exited', exitCode, output, changes, notes }
}

/** What could not be read, in a note. */
function leftOutInWords(paths: ReadonlySet<string>, start: string): readonly string[] {
  if (paths.size === 0) return []
  const names = [...paths]
    .slice(0, MOST_NAMED)
    .map((path) => JSON.stringify(posix.relative(start, path)))
  const more = paths.size - names.length
  return [
    `Left out, since it cannot be read: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`,
  ]
}

async function look(
  files: OverlayFiles,
  view: ReturnType<typeof openView>,
  notes: string[],
): Promise<FoundChanges> {
  try {
    return await findChanges(files, view)
  } catch (error) {
    if (!(error instanceof TooManyChanges)) throw error
    notes.push('Nothing is changed: these were too many changes at once. Make fewer at a time.')
    return { changes: [], scratch: [], moved: undefined }
  }
}

async function execute(
  files: OverlayFiles,
  command: string,
  cwd: string,
  timeoutMs: number,
): Promise<{ output: string; exitCode: number }> {
  try {
    const shell = new Bash({
      fs: files,
      cwd,
      customCommands: [removeCommand],
      executionLimitProfile: 'hardened',
      executionLimits: { maxExecutionTimeMs: timeoutMs, maxOutputSize: LONGEST_OUTPUT },
    })
    const { stdout, stderr, exitCode } = await shell.exec(command, { cwd })
    return { output: stdout + inOurWords(stderr), exitCode }
  } catch (error) {
    // What it rejects with is an answer as any other: a limit, or a word that nobody can read.
    const said = error instanceof Error ? error.message : String(error)
    return { output: `bash: ${inOurWords(said)}\n`, exitCode: 2 }
  }
}

port.on('message', (message: ToThread) => {
  if (message.type === 'sensitive') {
    asked.get(message.path)?.(message.isSensitive)
    asked.delete(message.path)
    return
  }
  void run(message.order).then(
    (outcome) => tell({ type: 'done', outcome }),
    (error: unknown) => {
      const said = error instanceof Error ? error.message : String(error)
      const notes = [`The shell failed, and nothing was changed: ${said}`]
      const outcome = { exitCode: null, output: '', changes: [], notes } as const
      tell({ type: 'done', outcome: { ended: 'failed', ...outcome } })
    },
  )
})
