import type { ToolSet, UIMessage } from 'ai'
import { describeThrown, EngineError } from '../../errors.ts'
import { keyOf, refOf, type ToolCallEntry } from '../../message/tool-calls.ts'
import { changeMetadata, failedCall, succeededCall } from '../../message/tool-part-states.ts'
import type { AssentCallMetadata, ToolCallPart } from '../../message/tool-part.ts'
import { extendContext } from '../../plugin.ts'
import { executeCall, type Executor } from './execute.ts'
import { boundOutput } from './limits.ts'
import {
  optionsOf,
  type ToolCall,
  type ToolCallContext,
  type ToolCallEnd,
  type ToolPluginOptions,
} from './options.ts'
import { notifyChange, type ToolRuntime } from './tool-runtime.ts'
import { changeCall, toToolCall } from './turn-calls.ts'

/** What `setTimeout` can count to, almost 25 days: a longer one, such as `Infinity`, fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

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
  const call = runtime.calls.get(key) ?? toToolCall(entry)
  const own = optionsOf(options, call.toolName)
  const timeoutMs = own.timeoutMs ?? options.timeoutMs ?? 30_000
  const isTurnOver = () => context.abortSignal.aborted
  const { running } = runtime
  runtime.calls.delete(key)
  running.add(key)
  runtime.places++
  changeCall(context, ref, (part) => changeMetadata(part, { startedAt: context.now() }))
  observe(context, () => options.onToolCallStart?.(call, context))

  const timeout = new AbortController()
  const timer = setTimeout(
    () => timeout.abort(timedOut(call, timeoutMs)),
    Math.min(timeoutMs, LONGEST_TIMER_MS),
  )
  const abortSignal = AbortSignal.any([context.abortSignal, timeout.signal])
  const aborted = new Promise<never>((_resolve, reject) => {
    abortSignal.addEventListener('abort', () => reject(abortSignal.reason), { once: true })
  })
  const tool = executeCall(call, { executor, options, context, abortSignal }, writeOutput)
  releasePlace(tool, abortSignal, options.abortGraceMs ?? 2_000, runtime)
  void Promise.race([tool, aborted]).then(() => end({ status: 'success' }), fail)

  function writeOutput(output: unknown, isPreliminary: boolean): void {
    const { output: bounded, cut } = boundOutput(output, bounds())
    write((part) => succeededCall(part, bounded, isPreliminary), { cut }, isPreliminary)
  }

  function fail(error: unknown): void {
    // The turn's own end has closed the call with its own words.
    if (isTurnOver()) return end({ status: 'cancelled', error })
    const isTimeout = error === timeout.signal.reason && timeout.signal.aborted
    const { output, cut } = boundOutput(describeThrown(error), bounds())
    write((part) => failedCall(part, String(output)), {
      cut,
      ended: isTimeout ? 'timeout' : undefined,
    })
    end({ status: isTimeout ? 'timeout' : 'error', error })
  }

  function write(
    change: (part: ToolCallPart) => ToolCallPart,
    metadata: AssentCallMetadata,
    isPreliminary = false,
  ): void {
    const endedAt = isPreliminary ? {} : { endedAt: context.now() }
    changeCall(context, ref, (part) => changeMetadata(change(part), { ...metadata, ...endedAt }))
    // In the same go: whoever finds the result must find that it is to be sent.
    if (!isPreliminary) context.markUnsent(ref)
  }

  function end(result: ToolCallEnd): void {
    clearTimeout(timer)
    running.delete(key)
    observe(context, () => options.onToolCallEnd?.(call, extendContext(context, result)))
    notifyChange(runtime)
  }

  function bounds() {
    return {
      maxLines: options.maxOutputLines ?? 2_000,
      maxBytes: options.maxOutputBytes ?? 51_200,
      keep: own.keep ?? 'head',
    }
  }
}

/** Calls an observer; what it throws, now or later, is reported and changes nothing. */
function observe<MESSAGE extends UIMessage>(
  context: ToolCallContext<MESSAGE>,
  callback: () => unknown,
): void {
  // An async function, so that both ways to fail are one; it runs at once up to its first await.
  void (async () => callback())().catch((cause: unknown) => {
    const message = 'A callback about a tool call threw; the call went on.'
    context.reportError(new EngineError('callback_failed', message, { cause }))
  })
}

/** A tool gives its place back when it ends, at the latest some time after it was aborted. */
function releasePlace(
  tool: Promise<void>,
  signal: AbortSignal,
  graceMs: number,
  runtime: ToolRuntime,
): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const grace = Promise.withResolvers<void>()
  const onAbort = () => {
    timer = setTimeout(grace.resolve, graceMs)
  }
  signal.addEventListener('abort', onAbort)
  const release = () => {
    signal.removeEventListener('abort', onAbort)
    clearTimeout(timer)
    runtime.places--
    notifyChange(runtime)
  }
  void Promise.race([tool, grace.promise]).then(release, release)
}

function timedOut({ toolName }: ToolCall, timeoutMs: number): EngineError {
  return new EngineError(
    'tool_timeout',
    `Tool "${toolName}" did not end within ${timeoutMs / 1_000} s and was given up; it may have taken effect.`,
    { details: { toolName, timeoutMs } },
  )
}
