/** Markdown as elements, growing or whole, without any way for HTML to become markup. */
export { default as AsMarkdown } from './AsMarkdown.vue'
export type { AsMarkdownProps } from './AsMarkdown.vue'
