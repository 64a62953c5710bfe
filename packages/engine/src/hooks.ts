import type { UIMessage, UIMessageChunk } from 'ai'
import { isDevelopment } from './development.ts'
import { describeThrown, EngineError } from './errors.ts'
import type {
  EnginePlugin,
  HookContexts,
  HookName,
  InternalPlugin,
  PluginContext,
} from './plugin.ts'

/** Throws `invalid_argument` for plugins that cannot be told apart, or cannot be called. */
export function registerPlugins<MESSAGE extends UIMessage>(
  plugins: readonly EnginePlugin<MESSAGE>[],
): readonly InternalPlugin<MESSAGE>[] {
  const names = new Set<string>()
  for (const { name, commands } of plugins) {
    if (commands && !name) {
      throw new EngineError(
        'invalid_argument',
        isDevelopment && 'A plugin with commands needs a name.',
      )
    }
    if (name === undefined) continue
    if (names.has(name)) {
      const text =
        isDevelopment && `Two plugins are named "${name}". Register one of them, or rename it.`
      throw new EngineError('invalid_argument', text, { details: { plugin: name } })
    }
    names.add(name)
  }
  return [...plugins]
}

/** How {@link runHooks} goes on. */
export interface HookRun {
  /** Read before each plugin: once it is `false`, no other hook is run. */
  readonly isAlive?: boolean
  /** Told of every hook as it begins; answers what is called as it ends. */
  readonly beginWait?: PluginContext['beginWait']
  /** Given what a hook threw, after which the next plugin has its turn. Without it, it is thrown. */
  readonly report?: (error: EngineError) => void
}

/**
 * Runs one hook of all plugins in order of registration, each awaited, and answers with what they
 * answered. What a hook throws becomes `hook_failed`, which names plugin and hook.
 */
export async function runHooks<MESSAGE extends UIMessage, HOOK extends HookName>(
  plugins: readonly InternalPlugin<MESSAGE>[],
  hook: HOOK,
  context: HookContexts<MESSAGE>[HOOK],
  how: HookRun,
): Promise<unknown[]> {
  const answers: unknown[] = []
  for (const plugin of plugins) {
    const { [hook]: run } = plugin
    if (!run || how.isAlive === false) continue
    // TypeScript cannot see that the hook of a name takes the context of that name.
    const call = run as (context: HookContexts<MESSAGE>[HOOK]) => unknown
    const endWait = how.beginWait?.({ type: 'hook', plugin: plugin.name ?? UNNAMED, hook })
    try {
      answers.push(await call.call(plugin, context))
    } catch (cause) {
      hookFailed(plugin, hook, cause, how.report)
    } finally {
      endWait?.()
    }
  }
  return answers
}

/**
 * What all plugins make of a chunk, in order of registration: asked for once per stream, so that
 * chunks cost nothing when no plugin looks at them.
 */
export function chunkHook<MESSAGE extends UIMessage>(
  plugins: readonly InternalPlugin<MESSAGE>[],
  context: PluginContext<MESSAGE>,
): ((chunk: UIMessageChunk) => UIMessageChunk) | undefined {
  const looking = plugins.filter((plugin) => plugin.onChunk)
  if (looking.length === 0) return undefined
  return (chunk) =>
    looking.reduce(
      (changed, plugin) =>
        guarded(plugin, 'onChunk', () => plugin.onChunk?.(changed, context)) ?? changed,
      chunk,
    )
}

/** Whether no plugin takes back the request that is about to be made. All are asked, in order. */
export function mayRequest<MESSAGE extends UIMessage>(
  plugins: readonly InternalPlugin<MESSAGE>[],
  context: PluginContext<MESSAGE>,
): boolean {
  const answers = plugins.map((plugin) =>
    guarded(plugin, 'mayRequest', () => plugin.mayRequest?.(context)),
  )
  return !answers.includes(false)
}

/** Whether any plugin has something to settle in a paused turn. What they throw is reported. */
export function isPauseOver<MESSAGE extends UIMessage>(
  plugins: readonly InternalPlugin<MESSAGE>[],
  context: PluginContext<MESSAGE>,
  isRestored: boolean,
  report: (error: EngineError) => void,
): boolean {
  return plugins.some((plugin) =>
    guarded(plugin, 'isPauseOver', () => plugin.isPauseOver?.(context, isRestored), report),
  )
}

/** Tells every plugin, at once and in order, of something that is over. What they throw is reported. */
export function tellPlugins<MESSAGE extends UIMessage>(
  plugins: readonly InternalPlugin<MESSAGE>[],
  hook: 'onTurnOver' | 'onStopAll',
  context: PluginContext<MESSAGE>,
  report: (error: EngineError) => void,
): void {
  for (const plugin of plugins) guarded(plugin, hook, () => plugin[hook]?.(context), report)
}

/** Tells every plugin, at once and in order, why a request failed. What they throw is reported. */
export function tellOfRefusal<MESSAGE extends UIMessage>(
  plugins: readonly InternalPlugin<MESSAGE>[],
  context: PluginContext<MESSAGE>,
  failure: EngineError,
  report: (error: EngineError) => void,
): void {
  for (const plugin of plugins) {
    guarded(plugin, 'onRefused', () => plugin.onRefused?.(context, failure), report)
  }
}

type Named = Pick<EnginePlugin, 'name'>

const UNNAMED = 'without name'

/** What a hook answers that runs at once; nothing when what it threw was reported. */
function guarded<RESULT>(
  plugin: Named,
  hook: string,
  call: () => RESULT,
  report?: HookRun['report'],
): RESULT | undefined {
  try {
    return call()
  } catch (cause) {
    hookFailed(plugin, hook, cause, report)
    return undefined
  }
}

/** Reports that a hook failed, or throws it where nobody is to be told. */
function hookFailed(
  { name = UNNAMED }: Named,
  hook: string,
  cause: unknown,
  report?: HookRun['report'],
): void {
  const message = `${hook} of plugin ${name} failed: ${describeThrown(cause)}`
  const error = new EngineError('hook_failed', message, { cause, details: { plugin: name, hook } })
  if (!report) throw error
  report(error)
}
