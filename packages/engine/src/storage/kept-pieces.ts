import type { JSONValue } from 'ai'
import { isEqualJson } from '../message/json-equality.ts'
import type { MessagePart } from '../message/tool-part.ts'
import { KEYS, toJson } from './conversation-records.ts'

/** What has to be written of the parts of a message, and the pieces that are there then. */
export interface PartsChange {
  readonly put: ReadonlyMap<string, JSONValue>
  readonly remove: readonly string[]
  readonly next: KeptPieces
}

/**
 * In how many pieces the texts of a message are stored. A text that streams is not written again for
 * each word that comes: what came is a record of its own, until the text is whole.
 */
export interface KeptPieces {
  readonly counts: ReadonlyMap<number, number>
  /** @param before the very objects that are stored; `undefined` where nobody knows */
  collect(before: readonly MessagePart[] | undefined, parts: readonly MessagePart[]): PartsChange
  /** Those that may be there when it is not known which of two writes are. */
  with(other: KeptPieces): KeptPieces
}

export function keptPieces(
  place: number,
  counts: ReadonlyMap<number, number> = new Map(),
): KeptPieces {
  return {
    counts,
    collect(before, parts) {
      const put = new Map<string, JSONValue>()
      const remove: string[] = []
      const next = new Map<number, number>()
      for (const [index, part] of parts.entries()) {
        const former = before?.[index]
        const count = counts.get(index) ?? 0
        const added = former && textAdded(former, part)
        if (added !== undefined) put.set(KEYS.piece(place, index, count), added)
        else if (part !== former) put.set(KEYS.part(place, index), toJson(part))
        if (added !== undefined) next.set(index, count + 1)
        else if (part === former && count > 0) next.set(index, count)
      }
      for (const [index, count] of counts) {
        if (next.has(index)) continue
        for (let piece = 0; piece < count; piece++) remove.push(KEYS.piece(place, index, piece))
      }
      return { put, remove, next: keptPieces(place, next) }
    },
    with(other) {
      const all = new Map(counts)
      for (const [index, count] of other.counts) {
        all.set(index, Math.max(count, all.get(index) ?? 0))
      }
      return keptPieces(place, all)
    },
  }
}

/** What came to a text that still streams; `undefined` when that is not all that changed. */
function textAdded(before: MessagePart, part: MessagePart): string | undefined {
  if (before.type !== 'text' && before.type !== 'reasoning') return undefined
  if (part.type !== before.type || part === before || part.state !== 'streaming') return undefined
  if (part.text.length === before.text.length || !part.text.startsWith(before.text))
    return undefined
  const isSameElse = isEqualJson(toJson({ ...before, text: '' }), toJson({ ...part, text: '' }))
  return isSameElse ? part.text.slice(before.text.length) : undefined
}
