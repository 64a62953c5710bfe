export { en } from './en.ts'
export type { AssentLocale } from './locale.ts'
export { withWords, type LocaleWords } from './words.ts'
