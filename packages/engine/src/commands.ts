import type { EngineError } from './errors.ts'

/**
 * What a command came to. `runPluginCommand` never rejects. `stored: false` says that the store failed,
 * which was reported: what changed counts here and is stored later, but a crash before that loses it.
 */
export type CommandResult<RESULT = unknown> =
  | { success: true; result: RESULT; stored?: false }
  | { success: false; error: EngineError }

/**
 * The commands that are known by name, with the types of payload and result. A plugin adds its own
 * by augmenting this interface.
 */
export interface PluginCommandMap {}

/** The command itself, of a plugin that {@link PluginCommandMap} does not know: a typo is an error. */
type UnlistedCommand<
  PLUGIN extends string,
  COMMAND extends string,
> = PLUGIN extends keyof PluginCommandMap ? never : COMMAND

/** Runs a plugin's command by name; the types are known for commands in {@link PluginCommandMap}. */
export interface RunPluginCommand {
  <
    PLUGIN extends keyof PluginCommandMap & string,
    COMMAND extends keyof PluginCommandMap[PLUGIN] & string,
  >(
    plugin: PLUGIN,
    command: COMMAND,
    payload: PluginCommandMap[PLUGIN][COMMAND] extends { payload: infer PAYLOAD } ? PAYLOAD : never,
  ): Promise<
    CommandResult<
      PluginCommandMap[PLUGIN][COMMAND] extends { result: infer RESULT } ? RESULT : unknown
    >
  >
  <PLUGIN extends string, COMMAND extends string>(
    plugin: PLUGIN,
    command: UnlistedCommand<PLUGIN, COMMAND>,
    payload?: unknown,
  ): Promise<CommandResult>
}
