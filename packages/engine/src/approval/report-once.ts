import type { EngineError } from '../errors.ts'

/** What was reported, by whose it is. */
const reported = new WeakMap<object, Set<string>>()

/** Names come from models, too, which make up new ones. */
const MOST = 1_000

/**
 * Reports a mistake of the app's code once: the first one of its code with these details.
 *
 * @param owner whose mistakes these are: the options that it was made with
 */
export function reportOnce(
  owner: object,
  error: EngineError,
  report: (error: EngineError) => void,
): void {
  const known = reported.get(owner) ?? new Set()
  const key = JSON.stringify([error.code, error.details])
  if (known.has(key) || known.size >= MOST) return
  reported.set(owner, known.add(key))
  report(error)
}
