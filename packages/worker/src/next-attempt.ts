import { numberOf, type Row } from './task-rows.ts'

/** The attempt that a claim of a task begins. */
export interface NextAttempt {
  readonly attempts: number
  /** An earlier attempt ended with its worker, so this one runs without any other task beside it. */
  readonly isSuspect: boolean
  /** The last attempt ran alone and ended with its worker: no other one is made. */
  readonly isSpent: boolean
}

/**
 * An attempt that ended with its worker may have been taken along by another task of that worker. So it
 * is not counted, and made again alone. One that ran alone counts: nothing else can have ended it.
 */
export function nextAttempt(row: Row): NextAttempt {
  const attempts = numberOf(row, 'attempts')
  const alone = row['alone_attempt']
  const isLost = row['worker'] !== null
  const wasAlone = isLost && alone === attempts
  if (wasAlone && attempts >= numberOf(row, 'max_attempts')) {
    return { attempts, isSuspect: true, isSpent: true }
  }
  const next = isLost && !wasAlone ? attempts : attempts + 1
  return { attempts: next, isSuspect: isLost || alone === next, isSpent: false }
}
