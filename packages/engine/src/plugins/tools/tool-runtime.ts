import type { ToolSet, UIMessage } from 'ai'
import type { CommandContext } from '../../plugin.ts'
import type { ToolCall, ToolCallContext, ToolPluginOptions } from './options.ts'

/** What the tool plugin knows of one engine that no message says: what is running right now. */
export interface ToolRuntime {
  /**
   * What holds a place in `concurrency`: calls whose tools run, also those that ignore that they are
   * over, and checks of calls that are about to.
   */
  places: Set<object>
  /** Resolves when a call settles or a place gets free; another promise after each. */
  change: PromiseWithResolvers<void>
  /**
   * The signal of the turn. This and what follows is of one turn alone: a step that is asked for
   * again may bring calls of the same names.
   */
  turn: AbortSignal
  /** Calls that rules are being asked about or that run, by key: something will change by itself. */
  busy: Set<string>
  /** Calls as they were read, by key. */
  calls: Map<string, ReadCall>
  /** Calls whose check by the rules still holds: nobody was waited for since. By key. */
  checked: Set<string>
  /** Calls that found no place: they are checked when they get one. By key. */
  late: Set<string>
  /** Calls that a person or policy has approved while this engine was there, by key. */
  decided: Set<string>
  /** Decisions on calls that wait until what they say is validated, by key. */
  deciding: Map<string, Promise<unknown>>
  /** Calls whose summary was asked for, by key: one that threw is not asked again. */
  described: Set<string>
  /** Calls that are executed elsewhere and whose preview was asked for, by key. */
  previewed: Set<string>
}

/** A call as it was read. */
export interface ReadCall {
  /** With what its tool's schema made of the input. */
  readonly call: ToolCall
  /** The input of the part that this was read from. */
  readonly source: unknown
  /** Of that input. */
  readonly fingerprint: string
}

/** What settling works with. */
export interface SettleScope<TOOLS extends ToolSet, MESSAGE extends UIMessage> {
  readonly options: ToolPluginOptions<TOOLS, MESSAGE>
  readonly context: ToolCallContext<MESSAGE>
  readonly runtime: ToolRuntime
}

/** What a command works with. */
export interface CommandScope<TOOLS extends ToolSet, MESSAGE extends UIMessage> extends SettleScope<
  TOOLS,
  MESSAGE
> {
  readonly context: CommandContext<MESSAGE>
}

/** Engines are the keys, so that one plugin object serves many without mixing them up. */
const runtimes = new WeakMap<object, ToolRuntime>()

/** The runtime of an engine, for the turn of this signal. */
export function runtimeOf(engineKey: object, turn: AbortSignal): ToolRuntime {
  const known = runtimes.get(engineKey)
  if (known?.turn === turn) return known
  const ofEngine = known ?? { places: new Set(), change: Promise.withResolvers<void>() }
  const ofTurn = {
    turn,
    busy: new Set<string>(),
    calls: new Map(),
    checked: new Set<string>(),
    late: new Set<string>(),
    decided: new Set<string>(),
    deciding: new Map(),
    described: new Set<string>(),
    previewed: new Set<string>(),
  }
  const runtime = Object.assign(ofEngine, ofTurn)
  runtimes.set(engineKey, runtime)
  return runtime
}

/** Tells the turn that waits for its tools to look again. */
export function notifyChange(runtime: ToolRuntime): void {
  runtime.change.resolve()
  runtime.change = Promise.withResolvers()
}
