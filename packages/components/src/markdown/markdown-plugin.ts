import type { TokenizerExtension, Tokens } from 'marked'
import type { Component } from 'vue'
import type { SourcePart } from './sources.ts'

/** What a renderer of Markdown is given, ours or one's own. */
export interface MarkdownRendererProps {
  text: string
  /** Whether more text may follow. */
  streaming?: boolean
  /** What the answer is based on; `[1]` in the text means the first of them. */
  sources?: readonly SourcePart[]
}

/** A piece of code of one colour. */
export interface CodePiece {
  readonly text: string
  /** Declarations of custom properties; anything else is left out. */
  readonly style?: Readonly<Record<string, string>>
}

/** Gives code its colours. */
export interface CodeHighlighter {
  /** The lines, when they are known already: code that is shown again has its colours at once. */
  find(code: string, language: string): readonly (readonly CodePiece[])[] | undefined
  /** Makes them, when nothing else is to be done; `undefined` for a language that is not known. */
  highlight(code: string, language: string): Promise<readonly (readonly CodePiece[])[] | undefined>
}

/**
 * Something that Markdown can do beside what it can anyway. It makes elements by components: there is
 * no place in it for markup as text.
 */
export interface MarkdownPlugin {
  /** Syntax of its own: extensions of the lexer of `marked`. */
  readonly syntax?: readonly TokenizerExtension[]
  /** What shows the tokens of its syntax, by their type. */
  readonly tokens?: Readonly<Record<string, Component<{ token: Tokens.Generic }>>>
  /** What shows fenced code of a language, once it is whole, by the language in lower case. */
  readonly fences?: Readonly<Record<string, Component<{ code: string }>>>
  /** The last plugin with one wins. */
  readonly highlighter?: CodeHighlighter
}

/** How Markdown is shown below an `AsConfigProvider`. */
export interface MarkdownConfig {
  /** Shows all Markdown in place of `AsMarkdown`. What it does with the text is up to it. */
  renderer?: Component<MarkdownRendererProps>
  plugins?: readonly MarkdownPlugin[]
}
