import type { DoubleQuotedChild, Word, WordPart } from 'unbash'
import { readArgument, type Argument } from './argument.ts'

/** Variables whose values are known, such as that of a loop over names that stand there. */
export type KnownVariables = ReadonlyMap<string, readonly Argument[]>

/** Words and values that one word is taken to stand for. */
const MOST_WORDS = 60

/** A piece of a word: what it may be. */
interface Piece {
  readonly text: string
  readonly isPattern: boolean
}

/** What a word may be, and whether it is split where it holds blanks. */
interface Choice {
  readonly pieces: readonly Piece[]
  readonly isSplit: boolean
}

/**
 * Reads a word as the words that it stands for: `{a,b}` is two. Where it holds variables with values that
 * are known, each of them is one that it may be.
 */
export function readWords(word: Word, variables: KnownVariables): Argument[] {
  const argument = readArgument(word)
  const { parts = [] } = word
  if (argument.value !== undefined || argument.pattern !== undefined) return [argument]
  // A home folder may stand in the place of the sign.
  if (parts.length === 0 || word.text.includes('~')) return [argument]
  const isExpanded = parts.some(({ type }) => type === 'BraceExpansion')
  const choices = parts.map((part) => choicesOf(part, variables))
  if (!choices.every((choice) => choice !== undefined)) return [argument]
  // Each brace stands for several words, each variable for one of several.
  const words = combine(parts, choices, (part) => part.type === 'BraceExpansion')
  if (words === undefined) return [argument]
  const read: Argument[] = []
  for (const fixed of words) {
    const all = combine(parts, fixed, () => true)
    if (all === undefined) return [argument]
    const isSplit = fixed.some((choice) => choice.isSplit)
    const oneOf = all.map((pieces) =>
      toArgument(
        pieces.flatMap((one) => one.pieces),
        isSplit,
      ),
    )
    if (oneOf.some((one) => one === undefined)) return [argument]
    const known = oneOf.filter((one) => one !== undefined)
    const [only] = known
    if (!only) return [argument]
    // In quotes it is one name of those that a pattern stands for.
    const isKnown = known.length === 1 && only.value !== undefined
    read.push(isKnown ? only : { text: argument.text, start: '', isOne: !isSplit, oneOf: known })
  }
  return isExpanded || read.length === 1 ? read : [argument]
}

/** Every way to take one of the pieces of the parts that are chosen from. */
function combine(
  parts: readonly WordPart[],
  choices: readonly Choice[],
  isChosen: (part: WordPart) => boolean,
): Choice[][] | undefined {
  let ways: Choice[][] = [[]]
  for (const [index, choice] of choices.entries()) {
    const part = parts[index]
    const options =
      part && isChosen(part)
        ? choice.pieces.map((piece) => ({ pieces: [piece], isSplit: choice.isSplit }))
        : [choice]
    ways = ways.flatMap((way) => options.map((option) => [...way, option]))
    if (ways.length > MOST_WORDS) return undefined
  }
  return ways
}

function choicesOf(part: WordPart, variables: KnownVariables): Choice | undefined {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
      return { pieces: [{ text: part.value, isPattern: false }], isSplit: false }
    case 'Glob':
      return part.kind === 'bracket'
        ? undefined
        : { pieces: [{ text: part.text, isPattern: true }], isSplit: false }
    case 'BraceExpansion': {
      const pieces = alternatives(part.text)
      return pieces && { pieces, isSplit: false }
    }
    case 'DoubleQuoted': {
      let texts: Piece[] = [{ text: '', isPattern: false }]
      for (const child of part.parts) {
        const next = quotedPieces(child, variables)
        if (!next) return undefined
        texts = texts.flatMap((one) =>
          next.map((other) => ({
            text: one.text + other.text,
            isPattern: one.isPattern || other.isPattern,
          })),
        )
        if (texts.length > MOST_WORDS) return undefined
      }
      return { pieces: texts, isSplit: false }
    }
    case 'SimpleExpansion':
    case 'ParameterExpansion': {
      const pieces = valuesOf(part, variables)
      return pieces && { pieces, isSplit: true }
    }
    default:
      return undefined
  }
}

function quotedPieces(part: DoubleQuotedChild, variables: KnownVariables): Piece[] | undefined {
  if (part.type === 'Literal') return [{ text: part.value, isPattern: false }]
  return part.type === 'SimpleExpansion' || part.type === 'ParameterExpansion'
    ? valuesOf(part, variables)
    : undefined
}

/** The values of `$name` and `${name}`, when they are known. */
function valuesOf({ text }: DoubleQuotedChild, variables: KnownVariables): Piece[] | undefined {
  const [, name = ''] = /^\$\{?(\w+)\}?$/.exec(text) ?? []
  const known = variables.get(name)?.flatMap((one) => one.oneOf ?? [one])
  return known?.map(({ value, pattern = '' }) =>
    value === undefined ? { text: pattern, isPattern: true } : { text: value, isPattern: false },
  )
}

const GLOB = /[*?[\]\\]/
const BLANK = /[\s*?[\]\\]/

function toArgument(pieces: readonly Piece[], isSplit: boolean): Argument | undefined {
  const text = pieces.map((piece) => piece.text).join('')
  const isPattern = pieces.some((piece) => piece.isPattern)
  // What is quoted, or comes out of a variable with blanks, would be read anew.
  if (pieces.some((piece) => !piece.isPattern && (isSplit ? BLANK : GLOB).test(piece.text))) {
    return isPattern || isSplit ? undefined : { text, value: text, start: text, isOne: true }
  }
  if (!isPattern) return { text, value: text, start: text, isOne: true }
  const [start = ''] = /^[^*?[]*/.exec(text) ?? []
  return { text, pattern: text, start, isOne: false, ...(isSplit && { isSplit }) }
}

/** What stands in braces: words, or a short row of numbers. */
function alternatives(text: string): Piece[] | undefined {
  const [, inner] = /^\{([^{}"'$`\\*?[\]~\s]*)\}$/.exec(text) ?? []
  if (inner === undefined) return undefined
  const [, first, last] = /^(\d{1,4})\.\.(\d{1,4})$/.exec(inner) ?? []
  if (first === undefined || last === undefined) {
    return inner.includes(',') && !inner.includes('..')
      ? inner.split(',').map((one) => ({ text: one, isPattern: false }))
      : undefined
  }
  const [from, to] = [Number(first), Number(last)]
  // Zeros in front are kept in all of them.
  if (/^0\d/.test(first) || /^0\d/.test(last) || Math.abs(to - from) >= MOST_WORDS) return undefined
  const step = to < from ? -1 : 1
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => ({
    text: String(from + step * index),
    isPattern: false,
  }))
}
