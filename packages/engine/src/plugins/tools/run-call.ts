import type { ToolSet, UIMessage } from 'ai'
import { describeThrown, EngineError } from '../../errors.ts'
import { keyOf, refOf, type ToolCallEntry } from '../../message/tool-calls.ts'
import { askedCall, changeMetadata } from '../../message/tool-part-states.ts'
import { toLocalApprovalId, type AssentCallMetadata } from '../../message/tool-part.ts'
import { extendContext } from '../../plugin.ts'
import { boundResult, writeResult, type CallResult } from './call-result.ts'
import { executeCall } from './execute.ts'
import { optionsOf, type ToolCall, type ToolCallEnd } from './options.ts'
import { runningCalls } from './running-calls.ts'
import { notifyChange, type SettleScope } from './tool-runtime.ts'
import { changeCall, observe, toToolCall } from './turn-calls.ts'

/** What `setTimeout` can count to, almost 25 days: a longer one, such as `Infinity`, fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * Starts a call and sees to it that it gets exactly one result, written at once: its output, its
 * error, or that its time is up or it was cancelled. What comes later, or after the turn was
 * aborted, is dropped.
 */
export function runCall<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
): void {
  const { options, context, runtime } = scope
  const { busy, calls, places } = runtime
  const ref = refOf(entry)
  const key = keyOf(ref)
  const call = calls.get(key)?.call ?? toToolCall(entry)
  const { timeoutMs = options.timeoutMs ?? 30_000, durable = options.durable } = optionsOf(
    options,
    call.toolName,
  )
  const isDurable = durable === 'required'
  const running = runningCalls(context.engineKey)
  calls.delete(key)
  busy.add(key)
  places.add(call)

  let isOver = false
  let isTold = false
  const stopped = new AbortController()
  const abortSignal = AbortSignal.any([context.abortSignal, stopped.signal])
  const aborted = Promise.withResolvers<never>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let grace: ReturnType<typeof setTimeout> | undefined
  abortSignal.addEventListener('abort', abort)
  running.set(key, stop)
  changeCall(context, ref, (part) => changeMetadata(part, { startedAt: context.now() }))
  const tool = execute()
  void tool.then(release, release)
  void Promise.race([tool, aborted.promise]).then(succeed, fail)

  async function execute(): Promise<void> {
    // Written before the tool runs: a crash must not make it run again.
    const saving = context.save()
    if (saving && !(await saving) && isDurable && !isOver) return askAgain()
    abortSignal.throwIfAborted()
    const timeout = () => stop(timedOut(call, timeoutMs), 'timeout')
    timer = setTimeout(timeout, Math.min(timeoutMs, LONGEST_TIMER_MS))
    isTold = true
    observe(context, () => options.onToolCallStart?.(call, context))
    await executeCall(call, options, context, abortSignal, (output, isPreliminary) =>
      write({ output, isPreliminary }),
    )
  }

  /** The call did not start after all: a person must say what now. */
  function askAgain(): void {
    isOver = true
    const requestReason = 'It could not be stored that this call starts, so it did not.'
    const request = { id: toLocalApprovalId(context.generateId()), requestReason }
    changeCall(context, ref, (part) =>
      changeMetadata(askedCall(part, request), { startedAt: undefined, checkFailed: true }),
    )
    cleanUp()
  }

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

  /** Ends the call from outside, in this very tick. */
  function stop(error: Error, ended: 'timeout' | 'cancelled'): void {
    if (isOver) return
    isOver = true
    stopped.abort(error)
    write({ errorText: error.message }, { ended, mayHaveRun: true })
    end({ status: ended, error })
  }

  function succeed(): void {
    // Else it has ended otherwise, or did not start.
    if (!isOver) end({ status: 'success' })
  }

  function fail(error: unknown): void {
    if (isOver) return
    // Who is told of the result may stop the call.
    isOver = true
    // The turn's own end has closed the call with its own words.
    if (context.abortSignal.aborted) return end({ status: 'cancelled', error })
    write({ errorText: describeThrown(error) })
    end({ status: 'error', error })
  }

  function write(result: CallResult, noted?: AssentCallMetadata): void {
    writeResult(scope, ref, result, boundResult(scope, call.toolName, result), noted)
  }

  function end(result: ToolCallEnd): void {
    isOver = true
    cleanUp()
    // Who was not told of the start, since it did not come to that, is not told of the end.
    if (isTold)
      observe(context, () => options.onToolCallEnd?.(call, extendContext(context, result)))
    notifyChange(runtime)
  }

  function cleanUp(): void {
    clearTimeout(timer)
    busy.delete(key)
    if (running.get(key) === stop) running.delete(key)
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
