import type { ToolSet, UIMessage } from 'ai'
import type { ToolCallRef } from '../../message/tool-part.ts'
import { keyOf } from '../../message/tool-calls.ts'
import type { ToolCall, ToolCallContext, ToolPluginOptions } from './options.ts'

/** What the tool plugin knows of one engine that no message says: what is running right now. */
export interface ToolRuntime {
  /** Calls without a result yet, by key. */
  readonly running: Set<string>
  /** Calls that rules are being asked about, by key. */
  readonly deciding: Set<string>
  /** Tools that hold a place in `concurrency`, also those that ignore that they are over. */
  places: number
  /** Calls with what their tools' schemas made of the inputs, by key. */
  readonly calls: Map<string, ToolCall>
  /** Calls whose summary threw, by key. */
  readonly undescribed: Set<string>
  /** Resolves when a call settles or a place gets free; another promise after each. */
  change: PromiseWithResolvers<void>
}

/** What settling works with. */
export interface SettleScope<TOOLS extends ToolSet, MESSAGE extends UIMessage> {
  readonly options: ToolPluginOptions<TOOLS, MESSAGE>
  readonly context: ToolCallContext<MESSAGE>
  readonly runtime: ToolRuntime
}

/** Engines are the keys, so that one plugin object serves many without mixing them up. */
const runtimes = new WeakMap<object, ToolRuntime>()

export function runtimeOf(engineKey: object): ToolRuntime {
  const known = runtimes.get(engineKey)
  if (known) return known
  const runtime: ToolRuntime = {
    running: new Set(),
    deciding: new Set(),
    places: 0,
    calls: new Map(),
    undescribed: new Set(),
    change: Promise.withResolvers(),
  }
  runtimes.set(engineKey, runtime)
  return runtime
}

/** Whether a call is being decided or is running: something will change by itself. */
export function isInProgress(runtime: ToolRuntime, call: ToolCallRef): boolean {
  const key = keyOf(call)
  return runtime.running.has(key) || runtime.deciding.has(key)
}

/** Tells the turn that waits for its tools to look again. */
export function notifyChange(runtime: ToolRuntime): void {
  runtime.change.resolve()
  runtime.change = Promise.withResolvers()
}
