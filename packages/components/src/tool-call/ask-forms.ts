/** Forms behind the buttons of a card: code of its own, because most cards are decided without. */
export { default as AlwaysForm } from './AlwaysForm.vue'
export { default as EditForm } from './input-form/EditForm.vue'
export { default as TypedConfirm } from './TypedConfirm.vue'
export { default as UndoStrip } from './UndoStrip.vue'
