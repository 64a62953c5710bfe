import type { ToolSet, UIMessage } from 'ai'
import type { ToolCall, ToolCallContext, ToolPluginOptions } from './options.ts'

/** What the tool plugin knows of one engine that no message says: what is running right now. */
export interface ToolRuntime {
  /** Calls whose tools hold a place in `concurrency`, also those that ignore that they are over. */
  places: Set<ToolCall>
  /** Resolves when a call settles or a place gets free; another promise after each. */
  change: PromiseWithResolvers<void>
  /**
   * The signal of the turn. This and what follows is of one turn alone: a step that is asked for
   * again may bring calls of the same names.
   */
  turn: AbortSignal
  /** Calls that rules are being asked about or that run, by key: something will change by itself. */
  busy: Set<string>
  /** Calls with what their tools' schemas made of the inputs, by key. */
  calls: Map<string, ToolCall>
  /** Calls whose summary was asked for, by key: one that threw is not asked again. */
  described: Set<string>
}

/** What settling works with. */
export interface SettleScope<TOOLS extends ToolSet, MESSAGE extends UIMessage> {
  readonly options: ToolPluginOptions<TOOLS, MESSAGE>
  readonly context: ToolCallContext<MESSAGE>
  readonly runtime: ToolRuntime
}

/** Engines are the keys, so that one plugin object serves many without mixing them up. */
const runtimes = new WeakMap<object, ToolRuntime>()

/** The runtime of an engine, for the turn of this signal. */
export function runtimeOf(engineKey: object, turn: AbortSignal): ToolRuntime {
  const known = runtimes.get(engineKey)
  if (known?.turn === turn) return known
  const ofEngine = known ?? { places: new Set(), change: Promise.withResolvers<void>() }
  const ofTurn = { turn, busy: new Set<string>(), calls: new Map(), described: new Set<string>() }
  const runtime = Object.assign(ofEngine, ofTurn)
  runtimes.set(engineKey, runtime)
  return runtime
}

/** Tells the turn that waits for its tools to look again. */
export function notifyChange(runtime: ToolRuntime): void {
  runtime.change.resolve()
  runtime.change = Promise.withResolvers()
}
