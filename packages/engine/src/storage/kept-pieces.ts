import type { JSONValue } from 'ai'
import { growthBetween, withGrowingText } from '../message/growing-part.ts'
import type { MessagePart } from '../message/tool-part.ts'
import { KEYS, toJson } from './conversation-records.ts'

/** What has to be written of the parts of a message, and the pieces that are there then. */
export interface PartsChange {
  readonly put: ReadonlyMap<string, JSONValue>
  readonly remove: readonly string[]
  readonly next: KeptPieces
}

/** A text of which a part record has the beginning, and pieces the rest. */
export interface TextInPieces {
  readonly count: number
  /** How many characters of it the part record has. */
  readonly begun: number
}

/** What nobody has looked at yet, or all of it is in the part record. */
const WHOLE = { count: 0, begun: undefined }

/**
 * In how many pieces the texts of a message are stored. A text that streams, an input or an output is not
 * written again for each word that comes: what came is a record of its own, until the text is whole.
 */
export interface KeptPieces {
  readonly texts: ReadonlyMap<number, TextInPieces>
  /** @param before the very objects that are stored; `undefined` where nobody knows */
  collect(before: readonly MessagePart[] | undefined, parts: readonly MessagePart[]): PartsChange
  /** Those that may be there when it is not known which of two writes are. */
  with(other: KeptPieces): KeptPieces
}

export function keptPieces(
  place: number,
  texts: ReadonlyMap<number, TextInPieces> = new Map(),
): KeptPieces {
  return {
    texts,
    collect(before, parts) {
      const put = new Map<string, JSONValue>()
      const remove: string[] = []
      const next = new Map<number, TextInPieces>()
      for (const [index, part] of parts.entries()) {
        const former = before?.[index]
        const known = texts.get(index)
        if (part === former) {
          if (known) next.set(index, known)
          continue
        }
        const grown = former && growthBetween(former, part)
        if (!grown) {
          put.set(KEYS.part(place, index), toJson(part))
          continue
        }
        const { count, begun = grown.text.length - grown.added.length } = known ?? WHOLE
        put.set(KEYS.piece(place, index, count), grown.added)
        // The pieces follow the same beginning, whatever else became another one.
        if (!grown.isSameElse) {
          const beginning = withGrowingText(part, grown.text.slice(0, begun))
          put.set(KEYS.part(place, index), toJson(beginning))
        }
        next.set(index, { count: count + 1, begun })
      }
      for (const [index, { count }] of texts) {
        if (next.has(index)) continue
        for (let piece = 0; piece < count; piece++) remove.push(KEYS.piece(place, index, piece))
      }
      return { put, remove, next: keptPieces(place, next) }
    },
    with(other) {
      const all = new Map(texts)
      for (const [index, text] of other.texts) {
        if (text.count > (all.get(index)?.count ?? 0)) all.set(index, text)
      }
      return keptPieces(place, all)
    },
  }
}
