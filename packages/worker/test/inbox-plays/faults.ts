import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { sqliteInbox } from '../../src/sqlite-inbox.ts'

/** A mistake, made in a copy of the sources. */
export interface Fault {
  readonly name: string
  /** In `src`. */
  readonly file: string
  /** Text that the file has exactly once. */
  readonly right: string
  readonly wrong: string
}

export const FAULTS: readonly Fault[] = [
  {
    name: 'a task is given out beside another of its conversation',
    file: 'task-statements.ts',
    right: 'SELECT * FROM tasks WHERE is_next = 1 AND claimable_at <= ?\n    ORDER BY',
    wrong: 'SELECT * FROM tasks WHERE claimable_at <= ?\n    ORDER BY',
  },
  {
    name: 'a change does not look at the epoch',
    file: 'task-statements.ts',
    right: "held: 'SELECT * FROM tasks WHERE id = ? AND worker = ? AND epoch = ?'",
    wrong: "held: 'SELECT * FROM tasks WHERE id = ? AND worker = ? AND ? > 0'",
  },
  {
    name: 'a heartbeat does not look at the epoch',
    file: 'task-statements.ts',
    right: 'SET claimable_at = ?, lease_ms = ? WHERE id = ? AND worker = ? AND epoch = ?',
    wrong: 'SET claimable_at = ?, lease_ms = ? WHERE id = ? AND worker = ? AND ? > 0',
  },
  {
    name: 'nothing moves up when a task is over',
    file: 'sqlite-inbox.ts',
    right:
      "error?.message ?? null, textOf(row, 'id'))\n    statement('moveUp').run(textOf(row, 'conversation_id'))",
    wrong: "error?.message ?? null, textOf(row, 'id'))",
  },
  {
    name: 'parking forgets an answer that came meanwhile',
    file: 'sqlite-inbox.ts',
    right: "run(id, numberOf(row, 'seen_answer'))",
    wrong: 'run(id, Number.MAX_SAFE_INTEGER)',
  },
  {
    name: 'parking uses up an attempt',
    file: 'sqlite-inbox.ts',
    right: "const attempts = numberOf(row, 'attempts') - 1",
    wrong: "const attempts = numberOf(row, 'attempts')",
  },
  {
    name: 'a task that kills its workers is given out for ever',
    file: 'next-attempt.ts',
    right: "wasAlone && attempts >= numberOf(row, 'max_attempts')",
    wrong: "wasAlone && attempts > numberOf(row, 'max_attempts') + 100",
  },
  {
    name: 'a task loses an attempt by the end of its worker',
    file: 'next-attempt.ts',
    right: 'isLost && !wasAlone ? attempts : attempts + 1',
    wrong: 'attempts + 1',
  },
  {
    name: 'what may end its worker runs beside others',
    file: 'sqlite-inbox.ts',
    right: 'if (isSuspect && !isSpent && !isIdle) return undefined',
    wrong: '',
  },
  {
    name: 'a replayed task has no attempts left',
    file: 'task-statements.ts',
    right: 'FROM tasks), attempts = 0,',
    wrong: 'FROM tasks), attempts = max_attempts,',
  },
  {
    name: 'a lease is not extended',
    file: 'sqlite-inbox.ts',
    right: 'run(at + leaseMs, leaseMs, task.id, worker, epoch)',
    wrong: 'run(at, leaseMs, task.id, worker, epoch)',
  },
  {
    name: 'an answer does not wake a parked task',
    file: 'sqlite-inbox.ts',
    right: "if (row['state'] === 'parked') queue(",
    wrong: "if (row['state'] === 'nothing') queue(",
  },
]

/** Loads the inbox of a copy of the sources that has the fault. */
export async function loadFaulty(fault: Fault): Promise<typeof sqliteInbox> {
  const copy = mkdtempSync(join(tmpdir(), 'assent-fault-'))
  try {
    cpSync(join(import.meta.dirname, '../../src'), copy, { recursive: true })
    const file = join(copy, fault.file)
    const [before, after, ...more] = readFileSync(file, 'utf8').split(fault.right)
    if (after === undefined || more.length > 0) {
      throw new Error(`"${fault.right}" is not exactly once in ${fault.file}.`)
    }
    writeFileSync(file, before + fault.wrong + after)
    const loaded: { sqliteInbox: typeof sqliteInbox } = await import(
      /* @vite-ignore */ pathToFileURL(join(copy, 'sqlite-inbox.ts')).href
    )
    return loaded.sqliteInbox
  } finally {
    rmSync(copy, { recursive: true })
  }
}
