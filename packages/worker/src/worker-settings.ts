import { WorkerError } from './worker-error.ts'

/** What the environment of a process says about how its workers work. */
export interface WorkerSettings {
  /** For `sqliteInbox`: attempts of a task before it is dead. `TASK_MAX_ATTEMPTS`, 3. */
  readonly maxAttempts: number
  /** For `createWorker`: milliseconds before the second attempt, at most. `TASK_RETRY_BASE_MS`, 2000. */
  readonly retryBaseMs: number
  /** Milliseconds a tool call may take. `TOOL_TIMEOUT_SECONDS`, 30. */
  readonly toolTimeoutMs: number
  /** What is kept of an output. `TOOL_MAX_OUTPUT_LINES`, 2000. */
  readonly maxOutputLines: number
  /** In UTF-8. `TOOL_MAX_OUTPUT_BYTES`, 51200. */
  readonly maxOutputBytes: number
}

/**
 * Reads the settings of workers from variables of the environment; one that is missing or empty has its
 * default.
 *
 * @param env default: that of this process
 * @throws WorkerError `invalid_setting` for a value that is no whole number above 0
 */
export function workerSettings(
  env: Readonly<Record<string, string | undefined>> = process.env,
): WorkerSettings {
  const read = (name: string, otherwise: number): number => {
    const text = env[name]?.trim() ?? ''
    if (text === '') return otherwise
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= 1 && value <= MOST) return value
    throw new WorkerError(
      'invalid_setting',
      `${name} is ${JSON.stringify(text)}; it has to be a whole number from 1 to ${MOST}.`,
    )
  }
  return {
    maxAttempts: read('TASK_MAX_ATTEMPTS', 3),
    retryBaseMs: read('TASK_RETRY_BASE_MS', 2_000),
    toolTimeoutMs: read('TOOL_TIMEOUT_SECONDS', 30) * 1_000,
    maxOutputLines: read('TOOL_MAX_OUTPUT_LINES', 2_000),
    maxOutputBytes: read('TOOL_MAX_OUTPUT_BYTES', 51_200),
  }
}

/** As milliseconds, also times 1,000, it is a number that is exact. */
const MOST = 1_000_000_000
