import type { AttachWords, ConversationWords, MessageWords } from './chat-words.ts'

/** English. */
export const enAttach: AttachWords = {
  button: 'Attach files',
  list: 'Attached files',
  drop: 'Drop files to attach them',
  remove: (name) => `Remove ${name}`,
  retry: (name) => `Try ${name} again`,
  cancel: (name) => `Stop uploading ${name}`,
  attached: (name) => `Attached: ${name}`,
  removed: (name) => `Removed: ${name}`,
  uploading: (percent) => (percent === undefined ? 'Uploading' : `Uploading, ${percent} %`),
  notAttached: 'Not attached',
  failed: (name, why) => `${name} could not be attached: ${why}`,
  wrongKind: (name, accept) => `${name} is of a kind that is not taken. Taken are: ${accept}`,
  tooLarge: (name, limit) => `${name} is larger than ${limit}`,
  isEmpty: (name) => `${name} is empty`,
  tooMany: (names, max) =>
    `${names} ${max === 1 ? 'is one file too many: one is' : `would be too many: ${max} files are`} the most`,
  wait: 'Files are still being attached',
  unfinished: 'A file could not be attached: try it again or remove it',
  dismiss: 'Dismiss',
}

/** English. */
export const enMessage: MessageWords = {
  actions: 'Actions for this message',
  copy: 'Copy',
  edit: 'Edit',
  editLabel: 'Edit your message',
  editDrops: (count) =>
    count === 1
      ? 'The message after it is dropped, and a new answer begins.'
      : `The ${count} messages after it are dropped, and a new answer begins.`,
  editKeepsFiles: (count) => (count === 1 ? 'Its file stays.' : `Its ${count} files stay.`),
  editSend: 'Send again',
  cancel: 'Cancel',
  regenerate: 'Another answer',
  regenerateDrops: 'Replaces this answer by another one',
  good: 'Good answer',
  bad: 'Bad answer',
  busy: 'Not while an answer is on its way',
}

/** English. */
export const enConversation: ConversationWords = {
  label: 'Conversations',
  create: 'New conversation',
  search: 'Search conversations',
  searchPlaceholder: 'Search',
  none: 'Yours will be kept here',
  noneFound: 'Nothing was found',
  untitled: 'Untitled',
  today: 'Today',
  yesterday: 'Yesterday',
  thisWeek: 'This week',
  waitsForYou: 'waits for you',
  atWork: 'at work',
  failed: 'failed',
  waiting: (count) => `${count} waiting`,
  unread: (count) => `${count} unread`,
  rename: (name) => `Rename “${name}”`,
  newName: (name) => `New name of “${name}”`,
  save: 'Rename',
  export: (name) => `Export “${name}”`,
  delete: (name) => `Delete “${name}”`,
  deleteAsk: 'Delete for good?',
  deleteConfirm: 'Delete',
  keep: 'Keep',
  deleted: (name) => `“${name}” was deleted`,
  import: 'Import…',
  more: (count) => `${count} more`,
  found: (count) => `${count === 0 ? 'Nothing' : count} found`,
}
