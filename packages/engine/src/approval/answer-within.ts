/** Milliseconds that a rule, a schema or a preview may take by default. */
const CHECK_MS = 10_000

/** What a callback of the app answers, or a `TimeoutError` once it has taken too long. */
export async function answerWithin<VALUE>(
  answer: PromiseLike<VALUE>,
  who: string,
  ms = CHECK_MS,
): Promise<VALUE> {
  const late = Promise.withResolvers<never>()
  // What is no number of milliseconds is over at once: then a person is asked.
  const timer =
    ms !== Infinity
      ? setTimeout(() => {
          const text = `${who} did not answer within ${ms / 1_000} s.`
          late.reject(new DOMException(text, 'TimeoutError'))
        }, ms)
      : undefined
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
