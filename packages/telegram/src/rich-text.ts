import type { MessageEntity } from 'grammy/types'

/**
 * A text with its formatting beside it, as Telegram takes it: no markup that something in the text could
 * break out of. Offsets and lengths are UTF-16 code units.
 */
export interface RichText {
  readonly text: string
  readonly entities: readonly MessageEntity[]
}

/** How a stretch of text looks. */
export type TextStyle =
  | { readonly type: 'bold' | 'italic' | 'strikethrough' | 'code' | 'blockquote' }
  | { readonly type: 'pre'; readonly language?: string }
  | { readonly type: 'text_link'; readonly url: string }

/** What texts are put together from. */
export type TextPiece = string | RichText

/** Puts pieces one after the other. */
export function rich(...pieces: readonly TextPiece[]): RichText {
  let text = ''
  const entities: MessageEntity[] = []
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      text += piece
      continue
    }
    for (const entity of piece.entities) {
      entities.push({ ...entity, offset: entity.offset + text.length })
    }
    text += piece.text
  }
  return { text, entities }
}

/** Puts pieces one after the other with the same between any two; empty ones are left out. */
export function joinRich(pieces: readonly TextPiece[], between: string): RichText {
  const full = pieces.filter((piece) => (typeof piece === 'string' ? piece : piece.text) !== '')
  return rich(...full.flatMap((piece, at) => (at === 0 ? [piece] : [between, piece])))
}

/**
 * Gives a piece a style. Telegram has no formatted code, and neither a link nor a quotation in another
 * one: what is inside stays as it is, and the new style lies around it.
 *
 * @see https://core.telegram.org/bots/api#messageentity
 */
export function styled(style: TextStyle, piece: TextPiece): RichText {
  const { text, entities } = rich(piece)
  const keptApart = entities.filter((inner) => !mayContain(style.type, inner.type))
  const around: MessageEntity[] = []
  let begin = 0
  for (const { offset, length } of keptApart.toSorted((a, b) => a.offset - b.offset)) {
    if (offset > begin) around.push({ ...style, offset: begin, length: offset - begin })
    begin = Math.max(begin, offset + length)
  }
  if (text.length > begin) around.push({ ...style, offset: begin, length: text.length - begin })
  return { text, entities: [...around, ...entities] }
}

const ANYWHERE: ReadonlySet<string> = new Set(['bold', 'italic', 'strikethrough'])
const CODE: ReadonlySet<string> = new Set(['code', 'pre'])

function mayContain(outer: string, inner: string): boolean {
  if (outer === 'blockquote') return inner !== outer
  if (CODE.has(outer) || CODE.has(inner) || inner === 'blockquote') return false
  return ANYWHERE.has(outer) || ANYWHERE.has(inner)
}

/** A stretch of a text with the formatting that lies on it. */
export function sliceRich({ text, entities }: RichText, begin: number, end: number): RichText {
  return {
    text: text.slice(begin, end),
    entities: entities.flatMap((entity) => {
      const from = Math.max(entity.offset, begin)
      const to = Math.min(entity.offset + entity.length, end)
      return to > from ? [{ ...entity, offset: from - begin, length: to - from }] : []
    }),
  }
}

/** Without white space at its ends, which Telegram would cut off as well. */
export function trimRich(piece: RichText): RichText {
  const begin = piece.text.length - piece.text.trimStart().length
  return sliceRich(piece, begin, Math.max(begin, piece.text.trimEnd().length))
}
