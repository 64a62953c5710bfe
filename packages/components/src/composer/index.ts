/** Where a message is written: sends, queues while busy, stops. */
export { default as AsComposer } from './AsComposer.vue'
export type { AsComposerProps } from './AsComposer.vue'
