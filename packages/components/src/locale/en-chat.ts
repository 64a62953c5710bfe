import type { AttachWords, ConversationWords, MessageWords } from './chat-words.ts'

/** English. */
export const enAttach: AttachWords = {
  button: 'Attach files',
  list: 'Attached files',
  drop: 'Drop files to attach',
  remove: (name) => `Remove ${name}`,
  retry: (name) => `Try ${name} again`,
  cancel: (name) => `Stop uploading ${name}`,
  attached: (name) => `Attached: ${name}`,
  removed: (name) => `Removed: ${name}`,
  uploading: (percent) => (percent === undefined ? 'Uploading' : `Uploading, ${percent} %`),
  notAttached: 'Not attached',
  failed: (name, why) => `Couldn’t attach ${name}: ${why}`,
  wrongKind: (name, accept) => `${name} isn’t supported. Supported types: ${accept}`,
  tooLarge: (name, limit) => `${name} is larger than ${limit}`,
  isEmpty: (name) => `${name} is empty`,
  tooMany: (names, max) =>
    `You can attach up to ${max} ${max === 1 ? 'file' : 'files'}. Not attached: ${names}`,
  wait: 'Files are still being attached',
  unfinished: 'A file couldn’t be attached. Try again or remove it.',
  dismiss: 'Dismiss',
}

/** English. */
export const enMessage: MessageWords = {
  actions: 'Message actions',
  copy: 'Copy',
  edit: 'Edit',
  editLabel: 'Edit your message',
  editDrops: (count) =>
    count === 1
      ? 'Sending replaces the message after this one.'
      : `Sending replaces the ${count} messages after this one.`,
  editKeepsFiles: (count) => (count === 1 ? 'Its file stays.' : `Its ${count} files stay.`),
  editSend: 'Send again',
  cancel: 'Cancel',
  regenerate: 'Regenerate',
  regenerateDrops: 'Replaces this answer',
  good: 'Good answer',
  bad: 'Bad answer',
  busy: 'Wait until the reply finishes',
}

/** English. */
export const enConversation: ConversationWords = {
  label: 'Conversations',
  create: 'New conversation',
  search: 'Search conversations',
  searchPlaceholder: 'Search',
  none: 'Your conversations will appear here',
  noneFound: 'No results',
  untitled: 'Untitled',
  today: 'Today',
  yesterday: 'Yesterday',
  thisWeek: 'Last 7 days',
  waiting: (count) => `${count} ${count === 1 ? 'needs' : 'need'} you`,
  unread: (count) => `${count} unread`,
  rename: (name) => `Rename “${name}”`,
  newName: (name) => `New name of “${name}”`,
  save: 'Rename',
  export: (name) => `Export “${name}”`,
  delete: (name) => `Delete “${name}”`,
  deleteAsk: 'Delete permanently?',
  deleteConfirm: 'Delete',
  keep: 'Cancel',
  deleted: (name) => `“${name}” was deleted`,
  import: 'Import…',
  more: (count) => `${count} more`,
  found: (count) => `${count} found`,
}
