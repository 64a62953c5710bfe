import type { UIMessage } from 'ai'
import type { CommandResult, RunPluginCommand } from './commands.ts'
import { reportOnce } from './approval/report-once.ts'
import { isDevelopment } from './development.ts'
import { EngineError, toEngineError, type EngineErrorCode } from './errors.ts'
import { watchedFailure } from './unread-failure.ts'
import {
  extendContext,
  type CommandContext,
  type InternalPlugin,
  type PluginContext,
} from './plugin.ts'
import type { SaveResult } from './persistence.ts'
import type { Readiness } from './readiness.ts'
import type { PauseReason } from './state.ts'
import { takenOver } from './taken-over.ts'

/** What running a command needs of its engine. */
export interface CommandHost<MESSAGE extends UIMessage> {
  readonly plugins: readonly InternalPlugin<MESSAGE>[]
  readonly readiness: Pick<Readiness, 'wait' | 'assertNotDisposed'>
  /** Reads the messages that are missing, if any are. A command that asks for a turn is refused without. */
  readWhole(): Promise<void> | undefined
  /** Throws while commands are not accepted. */
  assertAccepting(): void
  /** Says anew why the turn is paused, if it is. */
  setPauseReason(reason: PauseReason): void
  /** Begins a command: the context for it, bound to the turn that is open now, if one is. */
  openContext(): OpenContext<MESSAGE>
  /** Told once of each command that there is not. */
  readonly report: (error: EngineError) => void
  /** Stores what changed so far, when there is a store. */
  save(): Promise<SaveResult> | undefined
  /** How often somebody else has gone on with the conversation. */
  takeovers(): number
  /** Throws `nothing_to_retry` for `resume: true` when no turn is there to go on with. */
  assertResumable(): void
  /** Makes several changes one: nothing is published before the last of them. */
  batch<RESULT>(change: () => RESULT): RESULT
}

/** What a command works with. */
export interface OpenContext<MESSAGE extends UIMessage> {
  readonly context: PluginContext<MESSAGE>
  /**
   * Requests the step that the command asked for: of the open turn, or of a new one. Throws
   * `nothing_to_retry` when the turn of this context has ended, and `disposed`.
   */
  requestNext(): void
}

/** Nobody can have meant these: whoever does not look at results is told, too. */
const UNKNOWN: ReadonlySet<EngineErrorCode> = new Set<EngineErrorCode>([
  'unknown_plugin',
  'unknown_command',
])

export function createCommandRunner<MESSAGE extends UIMessage>(
  host: CommandHost<MESSAGE>,
): RunPluginCommand {
  return async (
    pluginName: string,
    commandName: string,
    payload?: unknown,
  ): Promise<CommandResult> => {
    try {
      const ready = host.readiness.wait()
      if (ready) await ready
      host.readiness.assertNotDisposed()
      const reading = host.readWhole()
      if (reading) await reading.catch(() => undefined)
      const takeovers = host.takeovers()
      const { command, isAlwaysAccepted } = findCommand(host.plugins, pluginName, commandName)
      if (!isAlwaysAccepted) host.assertAccepting()
      const { context, requestNextIfAsked } = createCommandContext(host)
      // What it changes at once is one change: nobody sees a decision without its confirmation.
      const result = await host.batch(() => command(payload, context))
      // Only now, so that what the command appended is in the request that it asked for.
      requestNextIfAsked()
      const saving = host.save()
      const saved = saving ? await saving : 'stored'
      // What holds is what somebody else has stored.
      if (saved === 'taken' || host.takeovers() > takeovers) throw takenOver()
      return { success: true, result, ...(saved === 'failed' && { stored: false }) }
    } catch (thrown) {
      const name = `${pluginName}.${commandName}`
      const error = toEngineError(thrown, 'command_failed', `${name} failed`)
      if (UNKNOWN.has(error.code)) reportOnce(host, error, host.report)
      return isDevelopment ? watchedFailure(error, name) : { success: false, error }
    }
  }
}

/** The context of one command, and what requests the step that the command asked for, if it did. */
export function createCommandContext<MESSAGE extends UIMessage>(
  host: Pick<
    CommandHost<MESSAGE>,
    'openContext' | 'assertResumable' | 'assertAccepting' | 'setPauseReason'
  >,
): { context: CommandContext<MESSAGE>; requestNextIfAsked: () => void } {
  let isRequested = false
  const opened = host.openContext()
  const context = extendContext(opened.context, {
    requestNext(options: { resume?: boolean } = {}) {
      if (options.resume) host.assertResumable()
      isRequested = true
    },
    setPauseReason: host.setPauseReason,
    assertAccepting: host.assertAccepting,
  })
  return {
    context,
    requestNextIfAsked() {
      if (isRequested) opened.requestNext()
    },
  }
}

function findCommand<MESSAGE extends UIMessage>(
  plugins: readonly InternalPlugin<MESSAGE>[],
  pluginName: string,
  commandName: string,
) {
  const plugin = plugins.find(({ name }) => name === pluginName)
  if (!plugin) {
    throw new EngineError(
      'unknown_plugin',
      isDevelopment && `No plugin is registered as "${pluginName}".`,
      {
        details: { plugin: pluginName },
      },
    )
  }
  const { commands = {}, commandsWhileAnswering } = plugin
  const command = Object.hasOwn(commands, commandName) ? commands[commandName] : undefined
  if (!command) {
    throw new EngineError(
      'unknown_command',
      isDevelopment &&
        `Plugin "${pluginName}" has no command "${commandName}". It has: ${Object.keys(commands).join(', ') || 'none'}.`,
      { details: { plugin: pluginName, command: commandName } },
    )
  }
  return { command, isAlwaysAccepted: commandsWhileAnswering?.includes(commandName) ?? false }
}
