import { matchesGlob } from 'node:path'
import { WorkspaceRefusal } from './refusal.ts'

/** Longer patterns, and those with more of what is tried in every place, take too long to match. */
const LONGEST = 200
const MOST_STARS = 4
const MOST_BRACES = 4

/**
 * Makes what matches paths, written with `/`, against a pattern: `*`, `?`, `[…]`, `{a,b}` and `**`.
 * A name that begins with a dot matches only what says so. Throws a refusal for a pattern that would
 * take too long.
 */
export function compileGlob(pattern: string): (path: string) => boolean {
  const refuse = (what: string) =>
    new WorkspaceRefusal('invalid', pattern, `the pattern ${pattern} ${what}.`)
  if (pattern.includes('\0')) throw refuse('holds a NUL')
  if (pattern.length > LONGEST) throw refuse('is too long')
  if (/[@!+*?]\(/.test(pattern)) throw refuse('has alternatives in parentheses; write {a,b}')
  if ((pattern.match(/\{/g)?.length ?? 0) > MOST_BRACES) throw refuse('has too many braces')
  if (/\{[^}]*\.\./.test(pattern)) throw refuse('has a range in braces')
  const names = pattern.split('/')
  const isHard = names.some(
    (name) => name !== '**' && (name.match(/\*/g)?.length ?? 0) > MOST_STARS,
  )
  if (isHard || names.filter((name) => name === '**').length > MOST_STARS)
    throw refuse('has too many stars')
  if (names.includes('..') || pattern.startsWith('/')) {
    throw refuse('leads out of its folder; name the folder as path')
  }
  const clean = names.filter((name, index) => name !== '.' || index > 0).join('/')
  return (path) => matchesGlob(path, clean)
}
