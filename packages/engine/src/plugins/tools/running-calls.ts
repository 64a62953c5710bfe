/** Ends a running call at once with an error. */
export type StopCall = (error: Error, ended: 'timeout' | 'cancelled') => void

const runningByEngine = new WeakMap<object, Map<string, StopCall>>()

/** How to stop each call that runs in an engine, by key. */
export function runningCalls(engineKey: object): Map<string, StopCall> {
  const known = runningByEngine.get(engineKey)
  if (known) return known
  const running = new Map<string, StopCall>()
  runningByEngine.set(engineKey, running)
  return running
}
