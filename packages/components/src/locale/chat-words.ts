/** Words about files that go with a message. */
export interface AttachWords {
  button: string
  list: string
  drop: string
  remove: (name: string) => string
  retry: (name: string) => string
  cancel: (name: string) => string
  attached: (name: string) => string
  removed: (name: string) => string
  /** How much of it is uploaded, in percent; without a number nobody knows. */
  uploading: (percent: number | undefined) => string
  /** In place of the size of one that could not be attached. */
  notAttached: string
  failed: (name: string, why: string) => string
  wrongKind: (name: string, accept: string) => string
  tooLarge: (name: string, limit: string) => string
  isEmpty: (name: string) => string
  tooMany: (names: string, max: number) => string
  /** Why nothing is sent. */
  wait: string
  unfinished: string
  dismiss: string
}

/** Words for what can be done with a message. */
export interface MessageWords {
  actions: string
  copy: string
  edit: string
  editLabel: string
  /** So many messages come after the one that is edited, and go. */
  editDrops: (count: number) => string
  editKeepsFiles: (count: number) => string
  editSend: string
  cancel: string
  regenerate: string
  regenerateDrops: string
  good: string
  bad: string
  /** Why nothing can be changed now. */
  busy: string
}

/** Words of the list of conversations. */
export interface ConversationWords {
  label: string
  create: string
  search: string
  searchPlaceholder: string
  none: string
  noneFound: string
  untitled: string
  today: string
  yesterday: string
  thisWeek: string
  waiting: (count: number) => string
  unread: (count: number) => string
  rename: (name: string) => string
  newName: (name: string) => string
  save: string
  export: (name: string) => string
  delete: (name: string) => string
  deleteAsk: string
  deleteConfirm: string
  keep: string
  deleted: (name: string) => string
  import: string
  more: (count: number) => string
  /** How many a search has found. */
  found: (count: number) => string
}
