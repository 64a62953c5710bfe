/** Markdown as elements, growing or whole, without any way for HTML to become markup. */
export { default as AsMarkdown } from './AsMarkdown.vue'
export type { AsMarkdownProps } from './AsMarkdown.vue'
export type {
  CodeHighlighter,
  CodePiece,
  MarkdownConfig,
  MarkdownPlugin,
  MarkdownRendererProps,
} from './markdown-plugin.ts'
export type { SourcePart } from './sources.ts'
