import type { ToolSet, UIMessage } from 'ai'
import { describeThrown, EngineError } from '../../errors.ts'
import { refOf, type ToolCallEntry } from '../../message/tool-calls.ts'
import { assentMetadata, toolNameOf, type AssentCallMetadata } from '../../message/tool-part.ts'
import { extendContext } from '../../plugin.ts'
import {
  boundResult,
  noteLate,
  redactErrorText,
  writeResult,
  type CallResult,
} from './call-result.ts'
import { executeCall } from './execute.ts'
import type { CallTask, OpenCall, SettleScope } from './open-call.ts'
import { optionsOf, type ToolCallEnd } from './options.ts'
import type { CallReading } from './read-call.ts'
import { observe } from './turn-calls.ts'
import { whenAborted } from './deadline.ts'

/** What `setTimeout` can count to, almost 25 days: a longer one, such as `Infinity`, fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * Runs a call that has been claimed, in this very tick, and sees to it that it gets exactly one
 * result, written at once: its output, its error, or that its time is up or it was cancelled. What
 * it returns later, or after the turn was aborted, is noted beside that. Takes over the slot of what
 * started it.
 *
 * @param observed the input for who is told of the start: a copy of its own
 */
export function runCall<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
  call: OpenCall,
  starting: CallTask,
  reading: CallReading,
  observed: unknown,
): void {
  const { options, context, runtime } = scope
  const ref = refOf(entry)
  const toolName = toolNameOf(entry.part)
  const toolCall = { ...ref, toolName, input: reading.value }
  const { timeoutMs = options.timeoutMs ?? 30_000, failure } = optionsOf(options, toolName)
  const task: CallTask = { kind: 'running', holdsSlot: true, stop }
  runtime.slots.delete(starting)
  runtime.slots.add(task)
  call.task = task

  let isOver = false
  const leaving = watchLeaving()
  const stopped = new AbortController()
  const abortSignal = AbortSignal.any([context.abortSignal, stopped.signal])
  const aborted = Promise.withResolvers<never>()
  let grace: ReturnType<typeof setTimeout> | undefined
  abortSignal.addEventListener('abort', abort)
  const timer = setTimeout(
    () => stop(timedOut(toolName, timeoutMs), 'timeout'),
    Math.min(timeoutMs, LONGEST_TIMER_MS),
  )
  observe(context, () => options.onToolCallStart?.({ ...toolCall, input: observed }, context))
  const tool = executeCall(toolCall, options, context, abortSignal, (output, isPreliminary) => {
    if (!abortSignal.aborted) {
      write({ output, isPreliminary })
    }
    // Without an output it may as well have heeded the signal.
    else if (output !== undefined) {
      noteLate(scope, ref, assentMetadata(entry.part).startedAt, toolName, output)
    }
  })
  void tool.then(release, release)
  const ended = unlessLeft(tool, leaving, context.abortSignal)
  void Promise.race([ended, aborted.promise]).then(succeed, fail)

  function abort(): void {
    aborted.reject(abortSignal.reason)
    grace = setTimeout(release, options.abortGraceMs ?? 2_000)
  }

  /** The tool gives its slot back when it ends, at the latest some time after it was aborted. */
  function release(): void {
    abortSignal.removeEventListener('abort', abort)
    clearTimeout(grace)
    runtime.slots.delete(task)
    runtime.rouse()
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
    // Made first: it is a copy, whatever is done to the tool's own.
    const bounded = boundResult(scope, toolName, result)
    writeResult(scope, ref, result, bounded, noted ?? { failure: failureOf(result) })
  }

  function failureOf({ errorText, isPreliminary, ...result }: CallResult): string | undefined {
    if (errorText !== undefined || isPreliminary || !('output' in result)) return undefined
    const words = failure?.(result.output)
    return words === undefined ? undefined : redactErrorText(scope, toolName, words)
  }

  function end(result: ToolCallEnd): void {
    isOver = true
    clearTimeout(timer)
    leaving.stop()
    if (call.task === task) call.task = undefined
    observe(context, async () => {
      const copy = reading.copy()
      const input: unknown = copy instanceof Promise ? await copy : copy
      return options.onToolCallEnd?.({ ...toolCall, input }, extendContext(context, result))
    })
    runtime.rouse()
  }
}

/**
 * A page that is left takes the requests of its tools along: that is no result. If it ends, the next
 * one finds the call started and without a result; if not, the error is one.
 */
async function unlessLeft(
  tool: Promise<void>,
  { staying }: LeavingWatch,
  turn: AbortSignal,
): Promise<void> {
  try {
    await tool
  } catch (error) {
    if (!turn.aborted) await Promise.race([staying(), whenAborted(turn)])
    throw error
  }
}

function timedOut(toolName: string, timeoutMs: number): EngineError {
  return new EngineError(
    'tool_timeout',
    `Tool "${toolName}" did not end within ${timeoutMs / 1_000} s; it may have taken effect.`,
    { details: { toolName, timeoutMs } },
  )
}

/** How long a page counts as being left once it was told so: it may stay after all. */
const LEAVING_MS = 10_000

/** Watches whether the page is being left: what its tools ask the network for fails then. */
interface LeavingWatch {
  /** Resolves once the page has stayed after all; `undefined` while it is not being left. */
  readonly staying: () => Promise<void> | undefined
  stop(): void
}

/**
 * Begins to watch, where there is a page. To be stopped when it is not needed any more: who listens may
 * cost the page its place in the back/forward cache.
 */
function watchLeaving(): LeavingWatch {
  const controller = new AbortController()
  let stay: PromiseWithResolvers<void> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  if ('document' in globalThis && 'addEventListener' in globalThis) {
    const { signal } = controller
    // A download begins like a farewell, too, and the person may be asked and stay.
    for (const type of ['beforeunload', 'pagehide']) {
      globalThis.addEventListener(type, leave, { signal })
    }
  }
  return {
    staying: () => stay?.promise,
    stop() {
      controller.abort()
      clearTimeout(timer)
    },
  }

  function leave(): void {
    stay ??= Promise.withResolvers()
    clearTimeout(timer)
    timer = setTimeout(() => {
      stay?.resolve()
      stay = undefined
    }, LEAVING_MS)
  }
}
