export { continuationPlugin } from './continuation-plugin.ts'
export type { ContinuationOptions } from './continuation-plugin.ts'
export { continuationProgress } from './continuation-facts.ts'
export type { ContinuationProgress, ContinuationReason } from './continuation-facts.ts'
