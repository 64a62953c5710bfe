import type { AssentDatabase } from '@assent/node'
import type { Changes } from './admin/changes.ts'

/** Milliseconds between two looks at whether something was written. */
const LOOK_MS = 500

/** Word of what is written into a database: SQLite has to be asked, as long as anybody listens. */
export function sqliteChanges({ sqlite, closed }: AssentDatabase): Changes {
  // The one tells of others, the other of this connection; neither touches the file.
  const others = sqlite.prepare('PRAGMA data_version')
  const own = sqlite.prepare('SELECT total_changes() AS changes')
  const version = () => `${others.get()?.['data_version']} ${own.get()?.['changes']}`
  return {
    closed,
    subscribe(listener) {
      if (closed.aborted) return () => undefined
      let seen = version()
      const timer = setInterval(() => {
        const now = version()
        if (now === seen) return
        seen = now
        listener()
      }, LOOK_MS)
      timer.unref()
      const end = () => clearInterval(timer)
      closed.addEventListener('abort', end, { once: true })
      return () => {
        closed.removeEventListener('abort', end)
        end()
      }
    },
  }
}
