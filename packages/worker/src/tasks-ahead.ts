import { leasesAhead, type AssentDatabase } from '@assent/node'
import { numberOf, textOf, type Row } from './task-rows.ts'
import type { TaskStatements } from './task-statements.ts'

/** Looks after tasks that wait for a time which a clock has named that was ahead. */
export interface TasksAhead {
  look(): Promise<void>
}

/** Milliseconds between two looks. */
const EVERY_MS = 500

/**
 * A machine may begin with a wrong clock. What was leased or put off by one that was ahead would wait until that time has
 * come: a lease ends when nobody has extended it for as long as it lasts, and what was put off is put off from now on.
 */
export function tasksAhead(
  { transaction }: AssentDatabase,
  statement: TaskStatements,
  time: () => number,
): TasksAhead {
  const ahead = leasesAhead()
  let lookedAt = -Infinity

  const isOver = (row: Row, now: number): boolean => {
    const lease = {
      expiresAt: numberOf(row, 'claimable_at'),
      leaseMs: numberOf(row, 'lease_ms'),
    }
    return ahead.isOver(textOf(row, 'id'), lease, now)
  }

  return {
    async look() {
      const elapsed = performance.now()
      if (elapsed - lookedAt < EVERY_MS) return
      lookedAt = elapsed
      const now = time()
      const over = statement('ahead')
        .all(now, now)
        .filter((row) => isOver(row, now))
      const isPutOff = statement('anyPutOff').get(now, now) !== undefined
      if (over.length === 0 && !isPutOff) return
      await transaction(() => {
        for (const row of over) {
          statement('endLease').run(now, textOf(row, 'id'), numberOf(row, 'claimable_at'))
        }
        statement('putOff').run(now, now, now, now, now)
      })
    },
  }
}
