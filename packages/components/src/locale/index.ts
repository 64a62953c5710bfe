export { en } from './en.ts'
export type { AssentLocale } from './locale.ts'
