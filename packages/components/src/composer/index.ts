/** Where a message is written: sends, queues while busy, stops, attaches. */
export { default as AsComposer } from './AsComposer.vue'
export type { UploadFile, UploadOptions } from './attachments/attachment-types.ts'
export type {
  AsComposerEmits,
  AsComposerProps,
  AsComposerSlots,
  ComposerHandle,
} from './composer-types.ts'
