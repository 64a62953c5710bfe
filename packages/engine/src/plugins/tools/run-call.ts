import type { ToolSet, UIMessage } from 'ai'
import { describeThrown, EngineError } from '../../errors.ts'
import { keyOf, refOf, type ToolCallEntry } from '../../message/tool-calls.ts'
import { changeMetadata, failedCall, succeededCall } from '../../message/tool-part-states.ts'
import type { ToolCallPart } from '../../message/tool-part.ts'
import { extendContext } from '../../plugin.ts'
import { executeCall, type Executor } from './execute.ts'
import { boundOutput, type OutputBounds } from './limits.ts'
import {
  optionsOf,
  type ToolCall,
  type ToolCallContext,
  type ToolCallEnd,
  type ToolPluginOptions,
} from './options.ts'
import { notifyChange, type ToolRuntime } from './tool-runtime.ts'
import { changeCall, toToolCall } from './turn-calls.ts'

/**
 * Starts a call and sees to it that it gets exactly one result, written at once: its output, its
 * error, or that its time is up. What comes later, or after the turn was aborted, is dropped.
 */
export function runCall<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  entry: ToolCallEntry,
  executor: Exclude<Executor, { type: 'none' }>,
  options: ToolPluginOptions<TOOLS, MESSAGE>,
  context: ToolCallContext<MESSAGE>,
  runtime: ToolRuntime,
): void {
  const ref = refOf(entry)
  const key = keyOf(ref)
  const call = toToolCall(entry)
  const controller = new AbortController()
  runtime.running.set(key, { call: ref, controller })
  runtime.places++
  changeCall(context, ref, (part) => changeMetadata(part, { startedAt: context.now() }))
  observe(options.onToolCallStart && (() => options.onToolCallStart?.(call, context)), context)

  const release = onceReleased(controller.signal, options.abortGraceMs ?? 2_000, () => {
    runtime.places--
    notifyChange(runtime)
  })
  const inputs = runtime.inputs
  const callContext = extendContext(context, {
    abortSignal: controller.signal,
    ...(inputs.has(key) ? { knownInput: inputs.get(key) } : {}),
  })
  inputs.delete(key)

  void settle().then((end) => {
    runtime.running.delete(key)
    const isTurnOver = context.abortSignal.aborted
    if (!isTurnOver) context.markUnsent(ref)
    observe(
      options.onToolCallEnd && (() => options.onToolCallEnd?.(call, extendContext(context, end))),
      context,
    )
    notifyChange(runtime)
  })

  async function settle(): Promise<ToolCallEnd> {
    const timeoutMs = timeoutOf(call, options)
    const timer = setTimeout(() => controller.abort(timedOut(call, timeoutMs)), timeoutMs)
    const stopFollowing = follow(context.abortSignal, controller)
    try {
      for await (const result of executeCall(call, executor, options, callContext, release)) {
        // A tool may answer in the very moment in which its turn ends.
        if (controller.signal.aborted) throw controller.signal.reason
        writeOutput(result.output, result.isPreliminary)
      }
      return { status: 'success' }
    } catch (error) {
      return writeError(error)
    } finally {
      clearTimeout(timer)
      stopFollowing()
    }
  }

  function writeOutput(output: unknown, isPreliminary: boolean): void {
    const bounded = boundOutput(output, boundsOf(call, options))
    write((part) =>
      changeMetadata(succeededCall(part, bounded.output, isPreliminary), {
        cut: bounded.cut,
        ...(isPreliminary ? {} : { endedAt: context.now() }),
      }),
    )
  }

  function writeError(error: unknown): ToolCallEnd {
    // The turn's own end has closed the call with its own words.
    if (context.abortSignal.aborted) return { status: 'cancelled', error }
    const isTimeout = error instanceof EngineError && error.code === 'tool_timeout'
    const { output } = boundOutput(describeThrown(error), boundsOf(call, options))
    write((part) =>
      changeMetadata(failedCall(part, String(output)), {
        endedAt: context.now(),
        ...(isTimeout ? { ended: 'timeout' } : {}),
      }),
    )
    return { status: isTimeout ? 'timeout' : 'error', error }
  }

  function write(change: (part: ToolCallPart) => ToolCallPart): void {
    if (!context.abortSignal.aborted) changeCall(context, ref, change)
  }
}

/** Calls an observer; what it throws, now or later, is reported and changes nothing. */
function observe<MESSAGE extends UIMessage>(
  callback: (() => unknown) | undefined,
  context: ToolCallContext<MESSAGE>,
): void {
  if (!callback) return
  const report = (cause: unknown) =>
    context.reportError(
      new EngineError('callback_failed', 'A callback about a tool call threw; the call went on.', {
        cause,
      }),
    )
  try {
    Promise.resolve(callback()).catch(report)
  } catch (cause) {
    report(cause)
  }
}

/** The tool gives its place back when it ends, at the latest some time after it was aborted. */
function onceReleased(signal: AbortSignal, graceMs: number, release: () => void): () => void {
  let isReleased = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const releaseOnce = () => {
    if (isReleased) return
    isReleased = true
    clearTimeout(timer)
    release()
  }
  signal.addEventListener(
    'abort',
    () => {
      if (!isReleased) timer = setTimeout(releaseOnce, graceMs)
    },
    { once: true },
  )
  return releaseOnce
}

/** Aborts the call with its turn. */
function follow(signal: AbortSignal, controller: AbortController): () => void {
  const onAbort = () => controller.abort(signal.reason)
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  return () => signal.removeEventListener('abort', onAbort)
}

function timedOut({ toolName }: ToolCall, timeoutMs: number): EngineError {
  return new EngineError(
    'tool_timeout',
    `Tool "${toolName}" did not end within ${timeoutMs / 1_000} s and was given up; it may have taken effect.`,
    { details: { toolName, timeoutMs } },
  )
}

function timeoutOf<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { toolName }: ToolCall,
  options: ToolPluginOptions<TOOLS, MESSAGE>,
): number {
  return optionsOf(options, toolName).timeoutMs ?? options.timeoutMs ?? 30_000
}

function boundsOf<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { toolName }: ToolCall,
  options: ToolPluginOptions<TOOLS, MESSAGE>,
): OutputBounds {
  return {
    maxLines: options.maxOutputLines ?? 2_000,
    maxBytes: options.maxOutputBytes ?? 51_200,
    keep: optionsOf(options, toolName).keep ?? 'head',
  }
}
