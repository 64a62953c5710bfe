import type { ToolSet, UIMessage } from 'ai'
import type { ToolCallRef } from '../../message/tool-part.ts'
import { keyOf } from '../../message/tool-calls.ts'
import type { ToolCall, ToolCallContext, ToolPluginOptions } from './options.ts'

/** What the tool plugin knows of one engine that no message says: what is running right now. */
export interface ToolRuntime extends TurnRuntime {
  /** Tools that hold a place in `concurrency`, also those that ignore that they are over. */
  places: number
  /** Resolves when a call settles or a place gets free; another promise after each. */
  change: PromiseWithResolvers<void>
}

/** What belongs to one turn: a step that is asked for again may bring calls of the same names. */
interface TurnRuntime {
  /** The signal of the turn. */
  turn: AbortSignal
  /** Calls without a result yet, by key. */
  running: Set<string>
  /** Calls that rules are being asked about, by key. */
  deciding: Set<string>
  /** Calls with what their tools' schemas made of the inputs, by key. */
  calls: Map<string, ToolCall>
  /** Calls whose summary threw, by key. */
  undescribed: Set<string>
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
  if (known) return Object.assign(known, createTurnRuntime(turn))
  const runtime = { ...createTurnRuntime(turn), places: 0, change: Promise.withResolvers<void>() }
  runtimes.set(engineKey, runtime)
  return runtime
}

function createTurnRuntime(turn: AbortSignal): TurnRuntime {
  return {
    turn,
    running: new Set(),
    deciding: new Set(),
    calls: new Map(),
    undescribed: new Set(),
  }
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
