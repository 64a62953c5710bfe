import { DatabaseError } from '../sqlite/database-error.ts'

/** Writes what only this process knows. */
export interface LateNotes {
  /**
   * Resolves when it is written. Rejects when the first try fails, and tries again for as long as the
   * process lives, until it is written or the database is closed.
   */
  write(note: () => Promise<unknown>): Promise<void>
}

/** Options of {@link createLateNotes}. */
export interface LateNotesOptions {
  /** Told that something is to be written; what it answers is called when it is. */
  readonly begin?: () => () => void
  /** Aborts when the process is about to end: what is left is tried at once. */
  readonly ending?: AbortSignal
}

/** How long it takes from one try to the next, in milliseconds: twice as long each time. */
const [FIRST_WAIT_MS, MOST_WAIT_MS] = [100, 10_000]

export function createLateNotes({
  begin = () => () => {},
  ending,
}: LateNotesOptions = {}): LateNotes {
  async function tryAgain(note: () => Promise<unknown>): Promise<void> {
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, MOST_WAIT_MS)) {
      await pause(ending?.aborted ? FIRST_WAIT_MS : waitMs, ending)
      try {
        await note()
        return
      } catch (error) {
        if (isHopeless(error)) return
      }
    }
  }

  return {
    async write(note) {
      const end = begin()
      try {
        await note()
      } catch (error) {
        if (isHopeless(error)) end()
        else void tryAgain(note).finally(end)
        throw error
      }
      end()
    },
  }
}

/** Whether the same can never be written. */
function isHopeless(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false
  return error.code === 'database_closed' || error.code === 'invalid_argument'
}

/** Resolves after a time, or once the process is about to end. Keeps no process alive. */
function pause(ms: number, ending: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      clearTimeout(timer)
      ending?.removeEventListener('abort', settle)
      resolve()
    }
    const timer = setTimeout(settle, ms).unref()
    ending?.addEventListener('abort', settle)
  })
}
