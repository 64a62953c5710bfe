import type { UIMessage } from 'ai'
import { describeThrown, EngineError } from './errors.ts'
import type { EnginePlugin, PluginHooks } from './plugin.ts'

/** The hooks that are run one after the other and answer nothing. */
export type SequenceHook = Exclude<keyof PluginHooks, 'onSettle' | 'onMessageWhilePaused'>

/** Registered plugins: a later one of the same name stands in the place of the earlier one. */
export function registerPlugins<MESSAGE extends UIMessage>(
  plugins: readonly EnginePlugin<MESSAGE>[],
): readonly EnginePlugin<MESSAGE>[] {
  const registered: EnginePlugin<MESSAGE>[] = []
  for (const plugin of plugins) {
    if (plugin.commands && !plugin.name) {
      throw new EngineError(
        'invalid_argument',
        'A plugin with commands needs a name to call them by.',
      )
    }
    const earlier = plugin.name ? registered.findIndex((other) => other.name === plugin.name) : -1
    if (earlier === -1) registered.push(plugin)
    else registered[earlier] = plugin
  }
  return registered
}

/**
 * Runs one hook of all plugins in order of registration, each awaited, until `isAlive` says no.
 * Throws `hook_failed`, which names plugin and hook.
 */
export async function runHooks<MESSAGE extends UIMessage, RESULT>(
  plugins: readonly EnginePlugin<MESSAGE>[],
  hook: keyof PluginHooks,
  call: (plugin: EnginePlugin<MESSAGE>) => RESULT,
  isAlive: () => boolean,
): Promise<Awaited<RESULT>[]> {
  const results: Awaited<RESULT>[] = []
  for (const plugin of plugins) {
    if (!plugin[hook]) continue
    if (!isAlive()) break
    try {
      results.push(await call(plugin))
    } catch (error) {
      throw hookFailed(plugin.name, hook, error)
    }
  }
  return results
}

/** Runs one hook of every plugin even when some throw; what they throw goes to `report`. */
export async function runAllHooks<MESSAGE extends UIMessage>(
  plugins: readonly EnginePlugin<MESSAGE>[],
  hook: SequenceHook,
  call: (plugin: EnginePlugin<MESSAGE>) => unknown,
  report: (error: EngineError) => void,
): Promise<void> {
  for (const plugin of plugins) {
    if (!plugin[hook]) continue
    try {
      await call(plugin)
    } catch (error) {
      report(hookFailed(plugin.name, hook, error))
    }
  }
}

function hookFailed(plugin: string | undefined, hook: string, cause: unknown): EngineError {
  return new EngineError(
    'hook_failed',
    `${hook} of ${plugin ? `plugin "${plugin}"` : 'a plugin without name'} failed: ${describeThrown(cause)}`,
    { cause, details: { plugin, hook } },
  )
}
