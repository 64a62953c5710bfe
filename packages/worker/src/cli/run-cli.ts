import type { Writable } from 'node:stream'
import { visibleJson } from '@assent/engine/reading'
import { auditCalls } from './audit-calls.ts'
import { auditExport } from './audit-export.ts'
import { auditList } from './audit-list.ts'
import { auditVerify } from './audit-verify.ts'
import { backup } from './backup.ts'
import { channels } from './channels.ts'
import { CliError } from './cli-error.ts'
import { EXIT, type Command, type ExitCode, type GivenOptions } from './command.ts'
import { erase } from './erase.ts'
import { commandHelp, programHelp } from './help-text.ts'
import { openStores, type CliStores } from './open-stores.ts'
import { createOutput } from './output.ts'
import { readOptions } from './read-options.ts'
import { serve } from './serve.ts'
import { tasksAbort, tasksAnswer } from './tasks-answer.ts'
import { tasksCount } from './tasks-count.ts'
import { tasksDiscard, tasksReplay } from './tasks-change.ts'
import { tasksList } from './tasks-list.ts'
import { tasksShow } from './tasks-show.ts'
import { tasksUndelivered } from './tasks-undelivered.ts'
import { visibleText } from './visible-text.ts'

/** The process as the program sees it. */
export interface CliWorld {
  /** Without the program's own. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdout: Writable
  readonly stderr: Writable
  /** Cells of the terminal that `stdout` is, if it is one. */
  readonly width: number | undefined
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Aborts when somebody wants the process to end. */
  readonly signal: AbortSignal
}

const COMMANDS: readonly Command[] = [
  auditList,
  auditCalls,
  auditVerify,
  auditExport,
  tasksList,
  tasksShow,
  tasksCount,
  tasksUndelivered,
  tasksAnswer,
  tasksAbort,
  tasksReplay,
  tasksDiscard,
  channels,
  erase,
  backup,
  serve,
]

/** Carries out what a command line says. Never rejects: what goes wrong is printed. */
export async function runCli(world: CliWorld): Promise<ExitCode> {
  const { args, stdout, stderr } = world
  try {
    const command = COMMANDS.find(({ name }) => isAt(name, args))
    if (!command) return printHelp(world)
    const rest = args.slice(command.name.split(' ').length)
    const { given, operands } = readOptions(command, rest, world.now())
    if (given.has('help')) {
      stdout.write(`${commandHelp(command)}\n`)
      return EXIT.done
    }
    if (command.operands === undefined && operands.length > 0) {
      throw new CliError(
        'usage',
        `${JSON.stringify(operands[0])} makes no sense here; see assent-worker ${command.name} --help.`,
      )
    }
    return await runCommand(world, command, { given, operands })
  } catch (error) {
    stderr.write(errorText(error, args.includes('--json')))
    return error instanceof CliError && error.code === 'usage' ? EXIT.usage : EXIT.failed
  }
}

async function runCommand(
  world: CliWorld,
  command: Command,
  { given, operands }: { readonly given: GivenOptions; readonly operands: readonly string[] },
): Promise<ExitCode> {
  const { stdout, width, env, now, signal } = world
  const named = { file: given.text('database'), module: given.text('stores') }
  let opened: Promise<CliStores> | undefined
  const stores = (): Promise<CliStores> => (opened ??= openStores(named, env, now))
  try {
    return await command.run({
      options: given,
      operands,
      out: createOutput(stdout, { isJson: given.has('json'), width }),
      env,
      now,
      signal,
      stores,
      async audit() {
        const { audit } = await stores()
        if (audit) return audit
        throw new CliError('not_found', 'These stores have no audit; give others with --stores.')
      },
    })
  } finally {
    // What could not be opened was told.
    await opened?.then(
      ({ close }) => close(),
      () => undefined,
    )
  }
}

/** Whether the arguments begin with the words of a command. */
function isAt(name: string, args: readonly string[]): boolean {
  return name.split(' ').every((word, index) => args[index] === word)
}

function printHelp({ args, stdout }: CliWorld): ExitCode {
  const end = args.findIndex((arg) => arg.startsWith('-'))
  const words = end === -1 ? args : args.slice(0, end)
  const ofGroup = COMMANDS.filter(({ name }) => name.split(' ')[0] === words[0])
  if (words[0] === 'help' || args.length === 0 || args.includes('--help')) {
    stdout.write(`${programHelp(ofGroup.length > 0 ? ofGroup : COMMANDS)}\n`)
    return EXIT.done
  }
  const known =
    ofGroup.length > 0
      ? ofGroup.map(({ name }) => name)
      : ['audit', 'tasks', 'channels', 'erase', 'backup', 'serve']
  const isUnfinished = ofGroup.length > 0 && words.length === 1
  const said = isUnfinished
    ? `${words[0]} what?`
    : end === 0
      ? 'Options come after the command: assent-worker <command> --option.'
      : `There is no command ${args.join(' ')}.`
  throw new CliError('usage', `${said} Try ${known.join(', ')}, or --help.`)
}

function errorText(error: unknown, isJson: boolean): string {
  const message = error instanceof Error ? error.message : String(error)
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string'
      ? error.code
      : 'unexpected'
  if (isJson) return `${visibleJson({ error: { code, message } })}\n`
  return `${visibleText(message)}\n`
}
