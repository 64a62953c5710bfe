import type { MarkedOptions, TokenizerExtension } from 'marked'
import type { Component } from 'vue'
import { cjkSyntax } from './cjk-syntax.ts'
import { footnoteSyntax } from './footnotes.ts'
import type { CodeHighlighter, MarkdownPlugin } from './markdown-plugin.ts'

/** All plugins in one. */
export interface MarkdownKit {
  readonly syntax: NonNullable<MarkedOptions['extensions']>
  readonly tokens: ReadonlyMap<string, Component>
  readonly fences: ReadonlyMap<string, Component>
  readonly highlighter: CodeHighlighter | undefined
}

const kits = new WeakMap<readonly MarkdownPlugin[], MarkdownKit>()
const NONE: readonly MarkdownPlugin[] = []

/** The same kit for the same list of plugins: texts in all bubbles share it. */
export function markdownKit(plugins: readonly MarkdownPlugin[] = NONE): MarkdownKit {
  const known = kits.get(plugins)
  if (known) return known
  const syntax = [
    ...footnoteSyntax,
    ...cjkSyntax,
    ...plugins.flatMap((plugin) => plugin.syntax ?? []),
  ]
  const level = (name: TokenizerExtension['level']) => syntax.filter((one) => one.level === name)
  const starts = (name: TokenizerExtension['level']) =>
    level(name).flatMap(({ start }) => (start ? [start] : []))
  const kit: MarkdownKit = {
    syntax: {
      renderers: {},
      childTokens: {},
      block: level('block').map(({ tokenizer }) => tokenizer),
      inline: level('inline').map(({ tokenizer }) => tokenizer),
      startBlock: starts('block'),
      startInline: starts('inline'),
    },
    tokens: new Map(plugins.flatMap(({ tokens = {} }) => Object.entries(tokens))),
    fences: new Map(plugins.flatMap(({ fences = {} }) => Object.entries(fences))),
    highlighter: plugins.findLast((plugin) => plugin.highlighter)?.highlighter,
  }
  kits.set(plugins, kit)
  return kit
}
