/** Colours for code by `shiki`, an optional peer; nothing of it is loaded before code is shown. */
export { highlight, type HighlightOptions } from './highlight.ts'
