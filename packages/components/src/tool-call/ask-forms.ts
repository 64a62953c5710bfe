/** Forms behind the buttons of a card: code of its own, because most cards are decided without. */
export { default as AlwaysForm } from './AlwaysForm.vue'
export { default as InputEditor } from './InputEditor.vue'
