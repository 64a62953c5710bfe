import type { FormWords } from './ask-words.ts'
import type { AssentLocale } from './locale.ts'

/** What is asked for, by its format in JSON Schema. */
const FORMATS: Readonly<Record<string, string>> = {
  email: 'email address',
  uri: 'URL',
  'date-time': 'date and time',
  uuid: 'UUID',
}

/** English. Loaded with the form. */
export const enForm: FormWords = {
  asForm: 'Form',
  asJson: 'JSON',
  reset: 'Reset',
  cannotEdit: (why) => `You can’t edit this input. ${why}`,
  optional: 'Optional',
  setField: (field) => `Set ${field}`,
  removeField: (field) => `Remove ${field}`,
  moveUp: (item) => `Move ${item} up`,
  moveDown: (item) => `Move ${item} down`,
  addItem: 'Add item',
  item: (place) => `Item ${place}`,
  choose: 'Choose an option.',
  yes: 'Yes',
  no: 'No',
  setNothing: 'Set to null',
  notThere: 'Empty',
  notNumber: 'Enter a number.',
  notWhole: 'Enter a whole number.',
  notMultiple: (step) => `Enter a multiple of ${step}.`,
  missing: 'Required',
  atLeast: (min) => `At least ${min}.`,
  atMost: (max) => `At most ${max}.`,
  above: (bound) => `More than ${bound}.`,
  below: (bound) => `Less than ${bound}.`,
  tooShort: (min) => `At least ${min} ${min === 1 ? 'character' : 'characters'}.`,
  tooLong: (max) => `At most ${max} ${max === 1 ? 'character' : 'characters'}.`,
  badFormat: (format) => `Enter a valid ${FORMATS[format] ?? format}.`,
  badPattern: 'This isn’t in the format that the tool expects.',
  tooFew: (min) => `At least ${min}.`,
  tooMany: (max) => `At most ${max}.`,
  hidden: (count) => `${count} hidden ${count === 1 ? 'character' : 'characters'}:`,
  problems: (count) => `Check ${count} ${count === 1 ? 'field' : 'fields'}`,
  changes: (count) => (count === 1 ? '1 change' : `${count} changes`),
  notUsed: 'Decided elsewhere while you were editing. Your edit wasn’t used.',
  discard: 'Discard edit',
  changed: 'Changed',
  added: 'Added',
  removed: 'Removed',
}

/** The words of the form that edits an input. */
export function formWords({ ask }: AssentLocale): FormWords {
  return { ...enForm, ...ask.form }
}
