/**
 * What an aborted request rejects with: the signal's own reason when that is an `AbortError`, else
 * an error of that name with the reason as its cause.
 */
export function abortError(signal: AbortSignal): Error {
  const reason: unknown = signal.reason
  if (reason instanceof Error && reason.name === 'AbortError') return reason
  const error = new Error('The request was aborted.', { cause: reason })
  error.name = 'AbortError'
  return error
}

/**
 * Rejects with {@link abortError} as soon as `signal` aborts, whatever `run` does then.
 *
 * `run` is given a signal of its own, so that nothing it calls (`fetch` keeps its listener) stays
 * attached to a signal that outlives this one request.
 */
export async function untilAborted<T>(
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  if (signal === undefined) return run(controller.signal)
  if (signal.aborted) throw abortError(signal)
  let stopListening = (): void => {}
  const aborted = new Promise<never>((_, reject) => {
    const abort = (): void => {
      const error = abortError(signal)
      reject(error)
      controller.abort(error)
    }
    signal.addEventListener('abort', abort, { once: true })
    stopListening = () => signal.removeEventListener('abort', abort)
  })
  try {
    return await Promise.race([aborted, run(controller.signal)])
  } finally {
    stopListening()
  }
}
