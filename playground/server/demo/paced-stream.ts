import { setImmediate, setTimeout } from 'node:timers/promises'
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { SpokenPart } from './speech.ts'

/**
 * Streams parts with the time between them divided by `speed`. An abort ends the stream at once,
 * with the reason of the signal; so does cancelling it.
 */
export function pacedStream(
  parts: Iterator<SpokenPart>,
  speed: number,
  abortSignal: AbortSignal | undefined,
): ReadableStream<LanguageModelV4StreamPart> {
  const cancelled = new AbortController()
  const signal = abortSignal ? AbortSignal.any([abortSignal, cancelled.signal]) : cancelled.signal
  return new ReadableStream<LanguageModelV4StreamPart>(
    {
      async pull(controller) {
        const next = parts.next()
        if (next.done) {
          controller.close()
          return
        }
        try {
          await pause(next.value.delayMs / speed, signal)
        } catch {
          parts.return?.()
          if (!cancelled.signal.aborted) controller.error(signal.reason)
          return
        }
        controller.enqueue(next.value.part)
      },
      cancel(reason) {
        cancelled.abort(reason)
        parts.return?.()
      },
    },
    // Nothing is said ahead of what is read, so that an abort finds nothing left to say.
    { highWaterMark: 0 },
  )
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // A macrotask in any case: a model that never yields would keep an abort from being heard.
  if (ms < 1) await setImmediate(undefined, { signal })
  else await setTimeout(ms, undefined, { signal })
}
