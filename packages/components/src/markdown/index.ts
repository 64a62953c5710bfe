export { default as AsMarkdown } from './AsMarkdown.vue'
export type { AsMarkdownProps } from './AsMarkdown.vue'
