import type { ToolSet, UIMessage } from 'ai'
import { describeThrown, EngineError } from '../../errors.ts'
import { keyOf, type ToolCallEntry } from '../../message/tool-calls.ts'
import {
  isElsewhere,
  isSettled,
  isWaiting,
  toolCallStatus,
  type ToolCallPart,
  type ToolCallRef,
} from '../../message/tool-part.ts'
import type { CommandContext } from '../../plugin.ts'
import type { ToolCallContext, ToolPluginOptions } from './options.ts'
import type { CallReading } from './read-call.ts'

/** What is under way here for a call: nothing else is begun for it meanwhile. */
export interface CallTask {
  readonly kind: 'checking' | 'starting' | 'running' | 'verifying'
  /** It counts among the calls that `concurrency` lets run. */
  readonly holdsSlot?: boolean
  /** Ends a call that runs, at once, with an error. */
  stop?: (error: Error, ended: 'timeout' | 'cancelled') => void
}

/**
 * Where a call of the open turn stands.
 *
 * - `undecided` no rule was asked yet
 * - `waiting` for a person: a decision, or an output
 * - `declined` it was denied, which is its result once the gate is open
 * - `unchecked` it may run, and the rules are to be asked once more
 * - `ready` it may run, and nobody was waited for since the rules said so
 * - `queued` it may run, and waits for a slot
 * - `interrupted` it had started when the app ended
 * - `remote` it is executed elsewhere
 * - else what is under way for it
 */
export type CallPhase =
  | CallTask['kind']
  | 'undecided'
  | 'waiting'
  | 'declined'
  | 'unchecked'
  | 'ready'
  | 'queued'
  | 'interrupted'
  | 'remote'
  | 'settled'

/** A call of the open turn: everything that the plugin knows of it beside its part. */
export interface OpenCall {
  readonly key: string
  task?: CallTask | undefined
  /** The fingerprint of its tool and input as they were first looked at, asked about or decided here. */
  seenAs?: string | undefined
  /** What the rules let start, as long as nobody is waited for. */
  checked?: CallReading | undefined
  /** It found no slot: it is checked when it gets one. */
  isQueued?: boolean
  /** A person or policy has decided it while this engine was there. */
  isDecidedHere?: boolean
  /** A decision on it that waits until what it says is validated. */
  deciding?: Promise<unknown> | undefined
  /** Its summary was asked for: one that threw is not asked again. */
  isDescribed?: boolean
  /** Its preview was asked for, and maybe has come. */
  preview?: 'making' | 'made'
}

/** What the tool plugin knows of one engine that no message says. */
export interface ToolRuntime {
  /** The tasks that hold a slot of `concurrency`: also tools that ignore that they are over. */
  readonly slots: Set<CallTask>
  /** The signal of the turn that `calls` are of. */
  turn: AbortSignal
  /** Tells the loop of the open turn to look again: a call settled, or a slot got free. */
  rouse: () => void
  /** By key. A step that is asked for again may bring calls of the same names: each turn its own. */
  calls: Map<string, OpenCall>
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

/** The runtime of an engine, for the turn of this context. */
export function runtimeOf<MESSAGE extends UIMessage>({
  engineKey,
  abortSignal: turn,
  rouse,
}: ToolCallContext<MESSAGE>): ToolRuntime {
  const runtime = runtimes.get(engineKey) ?? { slots: new Set(), turn, rouse, calls: new Map() }
  if (runtime.turn !== turn) {
    Object.assign(runtime, { turn, rouse, calls: new Map() })
    for (const task of runtime.slots) if (task.kind !== 'running') runtime.slots.delete(task)
  }
  runtimes.set(engineKey, runtime)
  return runtime
}

/** What is known of a call. */
export function openCallOf({ calls }: ToolRuntime, ref: ToolCallRef): OpenCall {
  const key = keyOf(ref)
  const call = calls.get(key) ?? { key }
  calls.set(key, call)
  return call
}

/** Where a call stands: what is under way for it, else what its part says. */
export function phaseOf({ task, checked, isQueued }: OpenCall, part: ToolCallPart): CallPhase {
  if (isSettled(part)) return 'settled'
  if (isElsewhere(part)) return isWaiting(part) ? 'waiting' : 'remote'
  if (task) return task.kind
  switch (toolCallStatus(part)) {
    case 'preparing':
    case 'validating':
      return 'undecided'
    case 'scheduled':
      if (checked && checked.source === part.input) return 'ready'
      return isQueued ? 'queued' : 'unchecked'
    case 'executing':
      return 'interrupted'
    case 'denied':
      return 'declined'
    default:
      return 'waiting'
  }
}

/** Whether a call may run here and its tool has not been given it. */
export function isUnstarted(runtime: ToolRuntime, { part, ...ref }: ToolCallEntry): boolean {
  if (isElsewhere(part) || isSettled(part)) return false
  const { task } = openCallOf(runtime, ref)
  return task?.kind === 'starting' || toolCallStatus(part) === 'scheduled'
}

/**
 * Does something for a call that takes time. It holds a slot when it is told so, and hands its task to
 * the work, which must ask {@link isUnderWay} after each await: a command may have withdrawn it. What
 * it throws is handed to `failed` while it still counts, else reported.
 */
export function beginTask<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { context, runtime }: SettleScope<TOOLS, MESSAGE>,
  call: OpenCall,
  task: CallTask,
  work: () => Promise<void>,
  failed: (error: unknown) => void,
): void {
  call.task = task
  if (task.holdsSlot) runtime.slots.add(task)
  const settle = async () => {
    try {
      await work()
    } catch (error) {
      if (call.task === task) failed(error)
    } finally {
      endTask(runtime, call, task)
      runtime.rouse()
    }
  }
  void settle().catch((cause: unknown) => {
    const message = `What became of a tool call could not be written: ${describeThrown(cause)}`
    context.reportError(new EngineError('tool_failed', message, { cause }))
  })
}

/** Whether a task still counts: the turn is open, and nothing has taken the call from it. */
export function isUnderWay<MESSAGE extends UIMessage>(
  { abortSignal }: Pick<ToolCallContext<MESSAGE>, 'abortSignal'>,
  call: OpenCall,
  task: CallTask,
): boolean {
  return call.task === task && !abortSignal.aborted
}

/** Nothing is under way for the call any more, by this task at least. */
export function endTask({ slots }: ToolRuntime, call: OpenCall, task: CallTask): void {
  slots.delete(task)
  if (call.task === task) call.task = undefined
}

/**
 * Takes a call from what is under way for it, because a command has changed it: what a check or a
 * start finds later is dropped. Not from a tool that runs, which is stopped instead.
 */
export function withdrawTask(runtime: ToolRuntime, call: OpenCall): void {
  const { task } = call
  if (task && task.kind !== 'running') endTask(runtime, call, task)
  call.checked = undefined
}
