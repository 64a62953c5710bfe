import { createHash } from 'node:crypto'
import { readLocated } from './open-file.ts'
import { WorkspaceRefusal } from './refusal.ts'
import type { Located } from './roots.ts'

/** A text file as it is now. */
export interface TextFile {
  readonly text: string
  readonly mode: number
  /** The same only for the same content. */
  readonly hash: string
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads a text file that was located. Throws a refusal; for what is no UTF-8 text too. */
export async function readText(located: Located, maxBytes: number): Promise<TextFile> {
  const { bytes, stats } = await readLocated(located, maxBytes)
  if (bytes.includes(0)) throw noText(located.path, bytes.length)
  try {
    return { text: decoder.decode(bytes), mode: stats.mode, hash: hashOf(bytes) }
  } catch {
    throw noText(located.path, bytes.length)
  }
}

/** A text file, if there is one. */
export async function readTextIfAny(
  located: Located,
  maxBytes: number,
): Promise<TextFile | undefined> {
  return located.exists ? readText(located, maxBytes) : undefined
}

export function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('base64')
}

function noText(path: string, size: number): WorkspaceRefusal {
  return new WorkspaceRefusal('wrong_kind', path, `${path} is no UTF-8 text (${size} bytes).`)
}

/** What files held when the model last saw them. */
export interface SeenFiles {
  /** The model knows what the file holds. */
  note(real: string, hash: string): void
  /** Throws a refusal when a file is not any more what was seen of it. */
  check(located: Located, hash: string | undefined): void
}

const MOST_SEEN = 5_000

/** Notes what was seen of files, so that nothing is overwritten that nobody has seen. */
export function createSeenFiles(): SeenFiles {
  const seen = new Map<string, string>()
  return {
    note(real, hash) {
      seen.delete(real)
      seen.set(real, hash)
      for (const oldest of seen.keys()) {
        if (seen.size <= MOST_SEEN) return
        seen.delete(oldest)
      }
    },
    check({ real, path }, hash) {
      const before = seen.get(real)
      if (before !== undefined && before !== hash) {
        const message = `${path} has changed since it was read. Read it again.`
        throw new WorkspaceRefusal('changed', path, message)
      }
    },
  }
}

const MASK = /\[secret: [a-z ]+\]/g

/**
 * Refuses to write what stands in the place of a secret where a file is read: it would be lost.
 *
 * @param before what the file holds now
 */
export function refuseMasks(path: string, before: string, after: string): void {
  const known = new Set(before.match(MASK))
  const mask = after.match(MASK)?.find((text) => !known.has(text))
  if (mask === undefined) return
  const message =
    `${mask} stands in the place of a secret, which writing it to ${path} would destroy. ` +
    'Use edit, and name only what is around it.'
  throw new WorkspaceRefusal('invalid', path, message)
}
