import type { ToolSet, UIMessage } from 'ai'
import { describeThrown, EngineError } from '../../errors.ts'
import { keyOf, refOf, type ToolCallEntry } from '../../message/tool-calls.ts'
import { changeMetadata, failedCall, succeededCall } from '../../message/tool-part-states.ts'
import type { ToolCallPart } from '../../message/tool-part.ts'
import { extendContext } from '../../plugin.ts'
import { executeCall } from './execute.ts'
import { boundOutput } from './limits.ts'
import { optionsOf, type ToolCall, type ToolCallEnd } from './options.ts'
import { notifyChange, type SettleScope } from './tool-runtime.ts'
import { changeCall, observe, settleCall, toToolCall } from './turn-calls.ts'

/** What `setTimeout` can count to, almost 25 days: a longer one, such as `Infinity`, fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * Starts a call and sees to it that it gets exactly one result, written at once: its output, its
 * error, or that its time is up. What comes later, or after the turn was aborted, is dropped.
 */
export function runCall<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { options, context, runtime }: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
): void {
  const { busy, calls, places } = runtime
  const ref = refOf(entry)
  const key = keyOf(ref)
  const call = calls.get(key) ?? toToolCall(entry)
  const { maxOutputLines: maxLines = 2_000, maxOutputBytes: maxBytes = 51_200 } = options
  const { keep = 'head', timeoutMs = options.timeoutMs ?? 30_000 } = optionsOf(
    options,
    call.toolName,
  )
  calls.delete(key)
  busy.add(key)
  places.add(call)
  changeCall(context, ref, (part) => changeMetadata(part, { startedAt: context.now() }))
  observe(context, () => options.onToolCallStart?.(call, context))

  const late = timedOut(call, timeoutMs)
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(late), Math.min(timeoutMs, LONGEST_TIMER_MS))
  const abortSignal = AbortSignal.any([context.abortSignal, timeout.signal])
  const aborted = Promise.withResolvers<never>()
  let grace: ReturnType<typeof setTimeout> | undefined
  abortSignal.addEventListener('abort', abort)
  const tool = executeCall(call, options, context, abortSignal, (output, isPreliminary) =>
    write(isPreliminary ? changeCall : settleCall, output, (part, bounded) =>
      succeededCall(part, bounded, isPreliminary),
    ),
  )
  void tool.then(release, release)
  void Promise.race([tool, aborted.promise]).then(() => end({ status: 'success' }), fail)

  function abort(): void {
    aborted.reject(abortSignal.reason)
    grace = setTimeout(release, options.abortGraceMs ?? 2_000)
  }

  /** The tool gives its place back when it ends, at the latest some time after it was aborted. */
  function release(): void {
    abortSignal.removeEventListener('abort', abort)
    clearTimeout(grace)
    places.delete(call)
    notifyChange(runtime)
  }

  function fail(error: unknown): void {
    // The turn's own end has closed the call with its own words.
    if (context.abortSignal.aborted) return end({ status: 'cancelled', error })
    const ended = error === late ? 'timeout' : undefined
    const toFailed = (part: ToolCallPart, text: unknown) => failedCall(part, String(text))
    write(settleCall, describeThrown(error), toFailed, ended)
    end({ status: ended ?? 'error', error })
  }

  function write(
    change: typeof changeCall,
    output: unknown,
    withOutput: (part: ToolCallPart, bounded: unknown) => ToolCallPart,
    ended?: 'timeout',
  ): void {
    const { output: bounded, cut } = boundOutput(output, { maxLines, maxBytes, keep })
    change(context, ref, (part) => changeMetadata(withOutput(part, bounded), { cut, ended }))
  }

  function end(result: ToolCallEnd): void {
    clearTimeout(timer)
    busy.delete(key)
    observe(context, () => options.onToolCallEnd?.(call, extendContext(context, result)))
    notifyChange(runtime)
  }
}

function timedOut({ toolName }: ToolCall, timeoutMs: number): EngineError {
  return new EngineError(
    'tool_timeout',
    `Tool "${toolName}" did not end within ${timeoutMs / 1_000} s; it may have taken effect.`,
    { details: { toolName, timeoutMs } },
  )
}
