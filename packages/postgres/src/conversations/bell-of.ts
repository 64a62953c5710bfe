import { createHash } from 'node:crypto'

/** A short name for one that may be long, as bells carry it. */
export function bellOf(name: string): string {
  return createHash('sha256').update(name).digest('base64url').slice(0, 22)
}
