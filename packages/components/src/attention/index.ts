/** Draws a person back to a page that they do not look at. */
export { useAttention, type Attention } from './use-attention.ts'
export type { AttentionOptions } from './attention-options.ts'
