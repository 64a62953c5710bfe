/** Most of what Markdown takes: the lexer, and what makes elements of its tokens. */
export const loadContent = async () => (await import('./MarkdownContent.vue')).default
