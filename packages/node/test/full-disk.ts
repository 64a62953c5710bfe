import type { AssentDatabase } from '../src/sqlite/open-database.ts'

/** What finds no room on a full disk, whatever is left in the pages of a table. */
export const LONG = 'x'.repeat(30_000)

/** Leaves a database no room to grow, as a full disk does; gives it room again when called. */
export function fillDisk({ sqlite }: AssentDatabase): () => void {
  const before = Number(sqlite.prepare('PRAGMA max_page_count').get()?.['max_page_count'])
  const pages = Number(sqlite.prepare('PRAGMA page_count').get()?.['page_count'])
  sqlite.exec(`PRAGMA max_page_count = ${pages}`)
  return () => sqlite.exec(`PRAGMA max_page_count = ${before}`)
}
