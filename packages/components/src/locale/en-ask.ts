import type { AskWords } from './ask-words.ts'

/** Of the nouns in names of tools: `file`, `query`, `files`. */
function plural(noun: string): string {
  if (/s$/i.test(noun)) return noun
  if (/[^aeiou]y$/i.test(noun)) return `${noun.slice(0, -1)}ies`
  return /(x|z|ch|sh)$/i.test(noun) ? `${noun}es` : `${noun}s`
}

const lines = (count: number): string => `${count} ${count === 1 ? 'line' : 'lines'}`

export const enAsk: AskWords = {
  suspectHost: (ascii) => `This name is not what it looks like. Computers read it as ${ascii}`,
  preview: {
    showInput: 'Show the input',
    hideInput: 'Hide the input',
    fromServer: 'This preview comes from the server',
    diffOf: (path, added, removed) =>
      `Changes in ${path}: ${lines(added)} added, ${removed} removed`,
    file: 'the file',
    newFile: 'new file',
    deletedFile: 'deleted',
    noChange: 'Nothing changes',
    emptyFile: 'It is empty',
    addedLine: 'Added:',
    removedLine: 'Removed:',
    showUnchanged: (count) => `Show ${count} unchanged ${count === 1 ? 'line' : 'lines'}`,
    noLineEnd: 'No line break at the end of the file',
    command: 'Command',
    folder: 'in',
    environment: 'Environment',
    spaces: (count) => `${count} ${count === 1 ? 'space' : 'spaces'}`,
    blankLines: (count) => `${count} blank ${count === 1 ? 'line' : 'lines'}`,
    request: 'Request',
    headers: 'Headers',
    body: 'Body',
    table: 'Rows',
    rows: (shown, total) => `${shown} of ${total} rows`,
    email: 'E-mail',
    from: 'From',
    to: 'To',
    cc: 'Cc',
    bcc: 'Bcc',
    subject: 'Subject',
    attachments: 'Attachments',
  },
  fold: {
    showAll: (count) => `Show all ${count} lines`,
    showAllCharacters: (count) => `Show all ${count} characters`,
    showLess: 'Show less',
    further: 'Also in the rest:',
  },
  form: {
    asForm: 'Form',
    asJson: 'JSON',
    reset: 'Reset',
    cannotEdit: (why) => `This input cannot be edited. ${why}`,
    optional: 'optional',
    setField: (field) => `Set ${field}`,
    removeField: (field) => `Leave ${field} out`,
    moveUp: (item) => `Move ${item} up`,
    moveDown: (item) => `Move ${item} down`,
    addItem: 'Add one',
    item: (place) => `Number ${place}`,
    choose: 'Choose one of these.',
    yes: 'Yes',
    no: 'No',
    setNothing: 'Set to nothing',
    elsewhere: 'You can’t edit this one. Say what should change.',
    notThere: 'empty',
    notNumber: 'This is not a number.',
    notWhole: 'This must be a whole number.',
    notMultiple: (step) => `This must be a multiple of ${step}.`,
    missing: 'This is needed.',
    atLeast: (min) => `At least ${min}.`,
    atMost: (max) => `At most ${max}.`,
    above: (bound) => `More than ${bound}.`,
    below: (bound) => `Less than ${bound}.`,
    tooShort: (min) => `At least ${min} ${min === 1 ? 'character' : 'characters'}.`,
    tooLong: (max) => `At most ${max} ${max === 1 ? 'character' : 'characters'}.`,
    badFormat: (format) => `This is not a valid ${format}.`,
    badPattern: 'This does not have the form that the tool expects.',
    tooFew: (min) => `At least ${min}.`,
    tooMany: (max) => `At most ${max}.`,
    hidden: (count) =>
      count === 1 ? '1 hidden character is in this:' : `${count} hidden characters are in this:`,
    problems: (count) => (count === 1 ? 'One field needs a look.' : `${count} fields need a look.`),
    changes: (count) => (count === 1 ? '1 change' : `${count} changes`),
    changed: 'changed',
    youChanged: 'Changed before it ran',
    added: 'added',
    removed: 'removed',
  },
  undo: {
    approving: 'Approved',
    denying: 'Denied',
    undo: 'Undo',
    now: 'Do it now',
    held: (seconds) => `Takes effect in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`,
    undone: 'Taken back. Nothing was sent.',
  },
  confirm: {
    type: (word) => `Type “${word}” to go on`,
  },
  restored: 'Restored from before',
  rest: {
    more: 'more',
    unread: (label, lines) => `${label} without reading ${lines} lines`,
    shown: 'Not everything was shown yet. Here is the next part.',
  },
  group: {
    calls: (words, count) => {
      const [verb = '', noun, ...rest] = words
      if (count === 1) return words.join(' ')
      return noun === undefined || rest.length > 0
        ? `${words.join(' ')}, ${count} times`
        : `${verb} ${count} ${plural(noun)}`
    },
    others: (count) => `${count} more`,
    running: (count) => `${count} running`,
  },
  whole: {
    show: 'Show the whole output',
    more: 'Show more',
    gone: 'The whole output is not kept any more.',
  },
}
