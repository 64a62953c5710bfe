import { enApproval } from './en-approval.ts'
import { enAsk } from './en-ask.ts'
import { enAttach, enConversation, enMessage } from './en-chat.ts'
import { enContent } from './en-content.ts'
import { closed } from './format.ts'
import type { AssentLocale } from './locale.ts'

/** English, the default. */
export const en: AssentLocale = {
  code: 'en',

  conversation: 'Conversation',
  you: 'You',
  assistant: 'Assistant',
  emptyTitle: 'What can I do for you?',
  emptyText: 'Ask a question or describe a task.',
  jumpToLatest: 'Jump to latest',
  working: 'Working…',
  providerWorking: (count, max) => `Still working (${count} of ${max})`,

  error: 'The reply couldn’t be finished',
  retry: 'Try again',
  withoutFiles: (count) => (count === 1 ? 'Send without the file' : 'Send without the files'),
  removeMessage: 'Remove the message',
  newConversation: 'New conversation',
  stopped: 'Stopped',
  goOn: 'Continue',
  notice: (notice, maxSteps) =>
    ({
      length: 'This reply was cut off at the length limit.',
      'content-filter': 'A content filter cut off this reply.',
      refusal: 'The model declined to reply.',
      empty: 'The model sent an empty reply.',
      'repeated-calls': 'Stopped: the same call came again and again. Send a message to continue.',
      'max-continuations': 'The provider paused too many times. Send a message to continue.',
      'max-steps': `Stopped at the ${maxSteps}-step limit. Send a message to continue.`,
    })[notice],
  waits: {
    response: 'Waiting for the server…',
    stream: 'Waiting for the server…',
    storage: 'Waiting for storage…',
    rule: 'Checking the rules…',
    schema: 'Checking the input…',
    preview: 'Preparing the preview…',
    hook: 'Waiting for the connection…',
  },

  composerLabel: 'Message',
  composerPlaceholder: 'Write a message',
  composerBusy: 'Add a message. It sends when this finishes.',
  composerPaused: 'Add a message. It sends once you decide.',
  composerHint: 'Enter sends · Shift+Enter new line',
  composerHintMod: 'Ctrl+Enter sends · Enter new line',
  composerTooLong: (count) => `${count} ${count === 1 ? 'character' : 'characters'} over the limit`,
  draftRestored: 'Draft restored',
  draftDiscard: 'Discard',
  send: 'Send message',
  queueMessage: 'Queue message',
  stop: 'Stop',

  attach: enAttach,

  queueLabel: 'Queued messages',
  queueHeld: 'Paused',
  queueFiles: (count) => `${count} ${count === 1 ? 'file' : 'files'}`,
  queueItem: (action, place) => `${action} queued message ${place}`,
  queueEdit: 'Edit',
  queueRemove: 'Remove',
  queueSendNow: 'Send now',
  queueMove: (text) => `Move “${text}”`,
  queueMoveHint: 'Use the arrow keys to move it',
  queueRemoved: 'Removed',
  queueUndo: 'Undo',
  queueHeldWhy: (state) => {
    if (state === 'aborted') return 'Queue paused because you stopped the last reply.'
    return state === 'error'
      ? 'Queue paused because the last reply didn’t finish.'
      : 'Queue paused.'
  },
  queueSave: 'Save',
  queueCancel: 'Cancel',

  message: enMessage,
  unanswered: 'No reply yet',
  answerIt: 'Get a reply',
  promptsLabel: 'Suggestions',

  conversations: enConversation,

  thinking: 'Thinking',
  thought: 'Thought',
  sources: 'Sources',
  openFile: 'Open',
  loadImage: (host) => `Load image from ${host}`,
  imageFailed: 'Couldn’t load the image',
  copyCode: 'Copy',
  copied: 'Copied',
  copyFailed: 'Couldn’t copy',
  codeBlock: (language) => (language ? `Code, ${language}` : 'Code'),
  table: 'Table',
  taskDone: 'Done',
  taskOpen: 'To do',

  risk: {
    read: 'Read only',
    write: 'Changes data',
    send: 'Sends data outside this app',
    destroy: 'Cannot be undone',
  },
  labelled: (label, text) => `${label}: ${text}`,
  askPosition: (index, total) => `${index} of ${total}`,
  whyItAsks: (reason) => reason,
  noInput: 'No input',
  hiddenCharacters: (count) =>
    count === 1
      ? '1 hidden character, shown as a label'
      : `${count} hidden characters, shown as labels`,
  input: 'Input',
  output: 'Output',

  approve: 'Approve',
  approveVerbs: {
    archive: 'Archive',
    book: 'Book',
    buy: 'Buy',
    cancel: 'Cancel it',
    create: 'Create',
    delete: 'Delete',
    deploy: 'Deploy',
    drop: 'Drop',
    install: 'Install',
    merge: 'Merge',
    move: 'Move',
    overwrite: 'Overwrite',
    pay: 'Pay',
    post: 'Post',
    publish: 'Publish',
    remove: 'Remove',
    rename: 'Rename',
    restart: 'Restart',
    revoke: 'Revoke',
    run: 'Run',
    save: 'Save',
    send: 'Send',
    upload: 'Upload',
    write: 'Write',
  },
  deny: 'Deny',
  denyWhy: 'Why not?',
  denyReasons: ['Not now', 'Wrong target', 'Too much at once', 'Ask me about it first'],
  denyOther: 'Something else…',
  denyPlaceholder: 'What should the assistant know?',
  denyHint: 'The reason goes to the assistant',
  denyWith: (reason) => `Deny: ${reason}`,
  back: 'Back',
  hold: 'hold',
  holdHint: (action) => `Hold: ${action}`,
  pressAgain: (action) => `Press again: ${action}`,
  refused: 'That didn’t work.',
  alreadyDecided: 'Already decided.',
  notLoaded: 'Couldn’t load this. Try again.',

  edit: 'Edit',
  editLabel: 'Input as JSON',
  notJson: (problem) => `This is not valid JSON: ${problem}`,
  inputRefused: (problem) => `The tool rejected this input: ${problem}`,
  approveEdited: 'Approve with changes',
  always: {
    open: 'Always…',
    confirm: 'Always allow',
    which: 'Which calls',
    exactly: 'Exactly this call',
    everyCall: (toolName) => `All calls of ${toolName}`,
    inFolder: (field, folder) => `When “${field}” is in ${folder}`,
    withValue: (field, value) => `When “${field}” is ${value}`,
    exactlyOnly: 'Another input could do something else, so only this exact call can be allowed.',
    where: 'Where',
    here: 'This conversation',
    everywhere: 'Everywhere',
    howLong: 'For how long',
    noEnd: 'No expiry',
    minutes: (count) => `${count} ${count === 1 ? 'minute' : 'minutes'}`,
    hours: (count) => `${count} ${count === 1 ? 'hour' : 'hours'}`,
    today: 'Today',
    grant: ({ toolName, kind, field, value, isEverywhere, until, uses }) => {
      const when = { value: ` when ${field} is ${value}`, folder: ` when ${field} is in ${value}` }
      const input = value === undefined ? ' with exactly this input' : ` to run exactly “${value}”`
      const which = { ...when, input, tool: '' }[kind]
      const where = isEverywhere ? 'everywhere' : 'in this conversation'
      const end = until === undefined ? 'with no expiry' : `until ${until}`
      const often = uses === undefined ? '' : `, ${uses} more ${uses === 1 ? 'time' : 'times'}`
      return `Allow ${toolName}${which}, ${where}, ${end}${often}.`
    },
    howOften: 'How often',
    anyNumber: 'Any number',
    uses: (count) => (count === 1 ? 'Once' : `${count} times`),
    matched: (count, total, denied) => {
      if (count === 0) return 'No past calls would have matched.'
      const calls = `Would have matched ${count} of ${total} past ${total === 1 ? 'call' : 'calls'}`
      if (denied === 0) return `${calls}.`
      const which = count === 1 ? 'which' : `${denied} of which`
      return `${calls}, ${which} ${denied === 1 ? 'was' : 'were'} denied.`
    },
    contradicts: 'This would allow calls that were denied:',
    confirmDenied: 'Allow these too',
  },

  asksAnswer: 'Needs your answer',
  answer: 'Your answer',
  sendAnswer: 'Send answer',
  skip: 'Skip',
  skipReason: 'The question was skipped.',
  cancelCall: 'Cancel',
  expired: 'This request may have expired',
  expiresAt: (time) => `Decide by ${time}`,

  byYou: 'You',
  byRule: 'Rule',
  byAlways: 'Standing permission',
  edited: 'Edited',
  overruled: {
    approved: 'Already approved elsewhere. Your denial came too late.',
    denied: 'Already denied elsewhere. Your approval came too late.',
  },
  allowedByAlways: (givenAt) =>
    givenAt
      ? `Allowed by the permission you gave on ${givenAt}`
      : 'Allowed by a standing permission',
  editedInput: 'Edited input',
  status: {
    preparing: 'Preparing',
    validating: 'Checking',
    awaitingApproval: 'Needs approval',
    approved: 'Approved',
    sending: 'Sending decision',
    mayHaveRun: 'May have run',
    scheduled: 'Queued',
    executing: 'Running',
    success: 'Done',
    error: 'Failed',
    timeout: 'Timed out',
    denied: 'Denied',
    cancelled: 'Cancelled',
    interrupted: 'Interrupted',
    awaitingOutput: 'Needs answer',
    answered: 'Answered by you',
  },
  deniedBecause: (reason) => `Denied: ${reason}`,
  cancelledText: {
    before: 'Cancelled before approval. It didn’t run.',
    unstarted: 'Cancelled before it ran.',
    mayHaveRun: 'Cancelled while running. It may or may not have taken effect.',
  },
  interruptedText: 'Interrupted while running. It may or may not have taken effect.',
  timeoutText: 'Timed out. It may or may not have taken effect.',
  laterDone: (status) => `${status} (later: done)`,
  lateText: 'It finished later, so it did take effect.',
  lateOutput: 'Output that came later',
  mayHaveRunText:
    'Your approval was sent, but no answer came. Check whether it ran before you send it again.',
  sendAgain: 'Send again',
  record: {
    failed: 'This couldn’t be recorded, so it didn’t run.',
    runWithout: 'Run without a record',
    without: 'No record',
  },
  cut: (shownLines, totalLines) => `${shownLines} of ${totalLines} lines are shown`,

  ask: enAsk,
  approvals: enApproval,
  content: enContent,

  announce: {
    asks: (sentence, risk) => `Needs approval: ${closed(sentence)} ${risk}.`,
    asksAnswer: (sentence) => `Needs answer: ${closed(sentence)}`,
    approved: (sentence) => `Approved: ${closed(sentence)}`,
    sending: (sentence) => `Sending your decision again: ${closed(sentence)}`,
    unanswered: (sentence) => `May have run: ${closed(sentence)} No answer came.`,
    denied: (sentence) => `Denied: ${closed(sentence)}`,
    succeeded: (sentence) => `Done: ${closed(sentence)}`,
    failed: (sentence) => `Failed: ${closed(sentence)}`,
    cancelled: (sentence) => `Cancelled: ${closed(sentence)}`,
    expired: (sentence) => `May have expired: ${closed(sentence)}`,
    moved: (position, total) => `Now ${position} of ${total}.`,
    answering: 'The assistant is replying.',
    answered: 'The reply is complete.',
    stopped: 'Stopped.',
    error: (message) => `The reply couldn’t be finished. ${message}`,
  },
}
