export { default as AsComposer } from './AsComposer.vue'
export type { AsComposerProps } from './AsComposer.vue'
