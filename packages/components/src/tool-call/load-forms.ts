/** The forms behind the buttons of a card. */
export const loadForms = () => import('./ask-forms.ts')
