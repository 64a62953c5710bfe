import type { Token, TokenizerExtension, Tokens } from 'marked'
import type { InjectionKey } from 'vue'

/** A note below the text. */
export interface FootnoteToken extends Tokens.Generic {
  type: 'footnote'
  label: string
  tokens: Token[]
}

/** What marks of notes need of the text that they are in. */
export interface Footnotes {
  /** The labels in the order of the notes; another array only when they changed. */
  readonly labels: Readonly<{ value: readonly string[] }>
  /** Whether a note may still come. */
  readonly isOpen: () => boolean
  /** Shows a note, by its place, and remembers from where. */
  go(index: number, from: EventTarget | null): void
  /** Returns to the mark that was left. */
  back(index: number): void
}

export const footnotesKey: InjectionKey<Footnotes> = Symbol('assent footnotes')

const NOTE =
  /^ {0,3}\[\^([^\]\s]{1,64})\]:[ \t]*([^\n]*(?:\n(?!\s*\n|\s*\[\^)[^\n]+|\n{2,}(?: {4}|\t)[^\n]+)*)(?:\n+|$)/
const MARK = /^\[\^([^\]\s]{1,64})\](?![:(])/

/** `[^1]` in the text, and `[^1]: …` below it. */
export const footnoteSyntax: readonly TokenizerExtension[] = [
  {
    name: 'footnote',
    level: 'block',
    start: (text) => /^ {0,3}\[\^[^\]\s]+\]:/m.exec(text)?.index,
    tokenizer(text) {
      const [raw, label = '', note = ''] = NOTE.exec(text) ?? []
      if (raw === undefined) return undefined
      const tokens = this.lexer.blockTokens(note.replaceAll(/\n(?: {4}|\t)/g, '\n'), [])
      return { type: 'footnote', raw, label, tokens }
    },
  },
  {
    name: 'footnoteMark',
    level: 'inline',
    start: (text) => place(text.indexOf('[^')),
    tokenizer(text) {
      const [raw, label] = MARK.exec(text) ?? []
      return raw === undefined ? undefined : { type: 'footnoteMark', raw, label }
    },
  },
]

/** Where a text has a note; the first of a label counts. */
export function footnotesOf(blocks: readonly Token[]): FootnoteToken[] {
  const notes = new Map<string, FootnoteToken>()
  for (const token of blocks) {
    if (isFootnote(token) && !notes.has(token.label)) notes.set(token.label, token)
  }
  return [...notes.values()]
}

function isFootnote(token: Token): token is FootnoteToken {
  return token.type === 'footnote'
}

function place(index: number): number | undefined {
  return index < 0 ? undefined : index
}
