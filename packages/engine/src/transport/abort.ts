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
 * Tells `listener` the {@link abortError} when `signal` aborts; now, if it did already.
 *
 * @returns stops listening
 */
export function onAbort(
  signal: AbortSignal | undefined,
  listener: (error: Error) => void,
): () => void {
  if (signal === undefined) return () => {}
  const abort = (): void => listener(abortError(signal))
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  return () => signal.removeEventListener('abort', abort)
}

/**
 * Rejects with {@link abortError} as soon as `signal` aborts, whatever `run` does then.
 *
 * `run` is given a signal of its own, so that nothing it calls (`fetch` keeps its listener) stays
 * attached to a signal that outlives this one request. That error is its reason.
 */
export async function untilAborted<T>(
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signal?.aborted) throw abortError(signal)
  const controller = new AbortController()
  const aborted = Promise.withResolvers<never>()
  const stopListening = onAbort(signal, (error) => {
    aborted.reject(error)
    controller.abort(error)
  })
  try {
    return await Promise.race([aborted.promise, run(controller.signal)])
  } finally {
    stopListening()
  }
}
