import { visibleJson } from '@assent/engine/reading'
import type { AuditFilter } from './audit-filter.ts'
import { patternOf, withinJson, type SqlPart } from './audit-sql.ts'

/** Parts of three letters that are looked up: more find little less. */
const MOST_PARTS = 16

/** A search that begins with the index of texts, or with nothing where a name or no index helps more. */
export interface TextSearch {
  /** What the index is asked; `undefined` without one. */
  readonly match: string | undefined
  /** Looks at the entries themselves: an index of parts finds too many. */
  readonly parts: readonly SqlPart[]
}

/** How the entries are found that say a text somewhere. */
export function searchOf({ text, conversationId, taskId }: AuditFilter): TextSearch {
  if (text === undefined) return { match: undefined, parts: [] }
  const written = withinJson(visibleJson(text))
  const pattern = patternOf(written)
  return {
    match: (conversationId ?? taskId) === undefined ? matchOf(written) : undefined,
    parts: [[`(payload LIKE ? ESCAPE '!' OR body LIKE ? ESCAPE '!')`, pattern, pattern]],
  }
}

/** What asks an index of three letters for a text; `undefined` for one that is too short. */
function matchOf(text: string): string | undefined {
  const letters = [...text]
  const count = letters.length - 2
  if (count < 1) return undefined
  const step = Math.max(1, count / MOST_PARTS)
  const parts = new Set<string>()
  for (let at = 0; at < count; at += step) {
    const start = Math.floor(at)
    parts.add(
      `"${letters
        .slice(start, start + 3)
        .join('')
        .replaceAll('"', '""')}"`,
    )
  }
  return [...parts].join(' AND ')
}
