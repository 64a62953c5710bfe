import { visibleName } from './visible-name.ts'

const MOST_NAMED = 5

/** What could not be read, in a sentence; empty when there is nothing of it. */
export function leftOutInWords(paths: readonly string[]): string {
  if (paths.length === 0) return ''
  const more = paths.length - MOST_NAMED
  const named = paths.slice(0, MOST_NAMED).map(visibleName).join(', ')
  return `Left out, since it cannot be read: ${named}${more > 0 ? ` and ${more} more` : ''}.`
}
