/** The words of a question, beside those that any tool call has. */
export interface AskWords {
  /** A host whose name is not what it looks like: how computers read it. */
  suspectHost: (ascii: string) => string
  showInput: string
  hideInput: string
  /** What is shown was not made here but sent by the server. */
  fromServer: string
  spaces: (count: number) => string
  blankLines: (count: number) => string
  /** The preview of a call. Default: English. */
  preview?: PreviewWords
  /** Long values. */
  fold: {
    showAll: (lines: string) => string
    showAllCharacters: (count: string) => string
    showLess: string
    /** Said before hosts, paths and amounts of the part that is not shown. */
    further: string
  }
  /** The form that edits an input. Default: English. */
  form?: FormWords
  /** Said with a denial where the input cannot be edited. */
  elsewhere: string
  /** Said before what a person changed in an input. */
  youChanged: string
  /** The time in which a decision can be taken back. */
  undo: {
    approving: (seconds: number) => string
    denying: (seconds: number) => string
    undo: string
    approveNow: string
    denyNow: string
    undone: string
  }
  /** Text to be typed before an act. */
  confirm: {
    type: (word: string) => string
  }
  /** What was typed before is there again. */
  restored: string
  /** What was not on the screen yet: a yes waits for it. */
  rest: {
    /** Small, on the button. */
    more: string
    /** On the button, which says yes to what was not read in full. */
    unread: (label: string, lines: string) => string
    /** Said when the button has scrolled on. */
    shown: string
  }
  /** Done calls in one line. */
  group: {
    /** Calls of one tool, by the words of its name: "Read 4 files". */
    calls: (words: readonly string[], count: number) => string
    /** Calls of further tools. */
    others: (count: number) => string
    running: (count: number) => string
  }
  /** The whole of an output that was cut. */
  whole: {
    show: string
    more: string
    gone: string
  }
}

/** The form that edits an input. */
export interface FormWords {
  asForm: string
  asJson: string
  reset: string
  cannotEdit: (why: string) => string
  optional: string
  setField: (field: string) => string
  removeField: (field: string) => string
  /** Moves an item of a list, by its name, to the place before it, and to the one after it. */
  moveUp: (item: string) => string
  moveDown: (item: string) => string
  addItem: string
  item: (place: number) => string
  choose: string
  yes: string
  no: string
  /** Makes a value `null`. */
  setNothing: string
  notThere: string
  notNumber: string
  notWhole: string
  notMultiple: (step: number) => string
  missing: string
  atLeast: (min: number) => string
  atMost: (max: number) => string
  above: (bound: number) => string
  below: (bound: number) => string
  tooShort: (min: number) => string
  tooLong: (max: number) => string
  badFormat: (format: string) => string
  badPattern: string
  tooFew: (min: number) => string
  tooMany: (max: number) => string
  hidden: (count: number) => string
  /** How many fields are wrong; said when the form is not sent. */
  problems: (count: number) => string
  changes: (count: number) => string
  /** The call was decided by another hand while its input was being changed. */
  notUsed: string
  discard: string
  changed: string
  added: string
  removed: string
}

/** The preview of a call. */
export interface PreviewWords {
  diffOf: (path: string, added: number, removed: number) => string
  file: string
  newFile: string
  deletedFile: string
  noChange: string
  /** Of a file that is new or deleted and has nothing in it. */
  emptyFile: string
  addedLine: string
  removedLine: string
  showUnchanged: (count: number) => string
  noLineEnd: string
  command: string
  folder: string
  environment: string
  request: string
  headers: string
  body: string
  table: string
  rows: (shown: string, total: string) => string
  email: string
  from: string
  to: string
  cc: string
  bcc: string
  subject: string
  attachments: string
}
