import { EngineError } from '../errors.ts'

/** What `setTimeout` can count to: a longer one, such as `Infinity`, fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** What a store answers, if it does in time; rejects with `storage_failed` when it does not. */
export async function withinDeadline<RESULT>(
  what: 'read' | 'write',
  ms: number,
  work: Promise<RESULT>,
): Promise<RESULT> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    if (ms > LONGEST_TIMER_MS) return
    const text = `The store has not answered a ${what} within ${ms / 1_000} s.`
    const fail = () => reject(new EngineError('storage_failed', text, { retryable: true }))
    timer = setTimeout(fail, ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
