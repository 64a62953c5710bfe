/** Code of its own: most calls are shown by their input. */
export { default as InputChanges } from '../input-form/InputChanges.vue'
export { default as CallPreview } from './CallPreview.vue'
export { readPreview } from './read-preview.ts'
