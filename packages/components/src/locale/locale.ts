import type { RequestState, ToolRisk, TurnNotice, WaitSubject } from '@assent/engine'
import type { ApprovalWords } from './approval-words.ts'
import type { AskWords } from './ask-words.ts'
import type { AttachWords, ConversationWords, MessageWords } from './chat-words.ts'
import type { ContentWords } from './content-words.ts'
import type { ErrorWords } from './error-words.ts'
import type { ShortcutWords } from './shortcut-words.ts'

/** What a standing permission allows, in words. */
export interface GrantWords {
  readonly toolName: string
  /** A field and its value, or the folder that it is in; this very input, or command; or every call. */
  readonly kind: 'value' | 'folder' | 'input' | 'tool'
  readonly field?: string
  readonly value?: string
  /** In every conversation. */
  readonly isEverywhere: boolean
  readonly until: string | undefined
  readonly uses: number | undefined
}

/** Every word that the components say themselves. What a tool or model says is not translated. */
export interface AssentLocale {
  /** BCP 47 tag, for dates, numbers and durations. */
  code: string

  conversation: string
  you: string
  assistant: string
  emptyTitle: string
  /** Says nothing about approvals: only the app knows what it asks about. */
  emptyText: string
  jumpToLatest: string
  working: string
  /** The provider has paused the turn and was asked to go on: for the how manieth time of how many. */
  providerWorking: (count: number, max: number) => string

  error: string
  retry: string
  /** Sends a message again, without so many files that the model can't read. */
  withoutFiles: (count: number) => string
  /** There is nothing else in it. */
  removeMessage: string
  newConversation: string
  stopped: string
  goOn: string
  /** Why a reply ends where it does, and how many steps its turn may take. */
  notice: (notice: TurnNotice, maxSteps: number) => string
  /** What is waited for; how long comes behind it. */
  waits: Readonly<Record<Exclude<WaitSubject['type'], 'tool'>, string>>

  composerLabel: string
  composerPlaceholder: string
  composerBusy: string
  composerPaused: string
  composerHint: string
  /** The hint where a key beside Enter is needed to send. */
  composerHintMod: string
  /** How many characters more than may be sent. */
  composerTooLong: (count: number) => string
  /** What was typed before came back. */
  draftRestored: string
  draftDiscard: string
  send: string
  queueMessage: string
  stop: string

  attach: AttachWords

  queueLabel: string
  queueHeld: string
  queueFiles: (count: number) => string
  /** What a button does to one of them, by its place from 1. */
  queueItem: (action: string, place: number) => string
  queueEdit: string
  queueRemove: string
  queueSendNow: string
  queueMove: (text: string) => string
  queueMoveHint: string
  queueRemoved: string
  queueUndo: string
  /** Why none of them is sent by itself, by how the turn before stands. */
  queueHeldWhy: (state: RequestState) => string
  queueSave: string
  queueCancel: string

  message: MessageWords
  unanswered: string
  answerIt: string
  promptsLabel: string

  conversations: ConversationWords

  thinking: string
  thought: string
  sources: string
  openFile: string
  loadImage: (host: string) => string
  imageFailed: string
  copyCode: string
  copied: string
  copyFailed: string
  codeBlock: (language: string) => string
  table: string
  taskDone: string
  taskOpen: string

  risk: Record<ToolRisk, string>
  /** A text with what it is: "Show: List files". */
  labelled: (label: string, text: string) => string
  askPosition: (index: number, total: number) => string
  whyItAsks: (reason: string) => string
  noInput: string
  hiddenCharacters: (count: number) => string
  input: string
  output: string

  approve: string
  /** Words for the approve button, by a verb of the tool's name, in lower case. */
  approveVerbs: Readonly<Record<string, string>>
  deny: string
  denyWhy: string
  /** What can be chosen as the reason of a denial. */
  denyReasons: readonly string[]
  denyOther: string
  denyPlaceholder: string
  denyHint: string
  denyWith: (reason: string) => string
  back: string
  hold: string
  holdHint: (action: string) => string
  pressAgain: (action: string) => string
  /** A command was refused. */
  refused: string
  /** It was refused because the call does not wait any more. */
  alreadyDecided: string
  /** A part of the page could not be loaded. */
  notLoaded: string

  edit: string
  editLabel: string
  notJson: (problem: string) => string
  /** The tool does not take the edited input. */
  inputRefused: (problem: string) => string
  approveEdited: string
  /** The words for a standing permission. */
  always: {
    open: string
    confirm: string
    which: string
    exactly: string
    everyCall: (toolName: string) => string
    /** @param folder with the slash that it ends with */
    inFolder: (field: string, folder: string) => string
    withValue: (field: string, value: string) => string
    exactlyOnly: string
    where: string
    here: string
    everywhere: string
    howLong: string
    noEnd: string
    minutes: (count: number) => string
    hours: (count: number) => string
    today: string
    /** All that is chosen, in one sentence. */
    grant: (given: GrantWords) => string
    howOften: string
    anyNumber: string
    uses: (count: number) => string
    /** How many of the past calls of the tool it would have covered, and how many of those were denied. */
    matched: (count: number, total: number, denied: number) => string
    /** Said before the denied calls that it would cover. */
    contradicts: string
    confirmDenied: string
  }

  asksAnswer: string
  answer: string
  sendAnswer: string
  skip: string
  /** Reaches the model as the reason of a denial. */
  skipReason: string
  cancelCall: string
  /** Said of a decision that came after another one, which stands. */
  overruled: { approved: string; denied: string }
  /** By the clock of the page, which may be wrong. */
  expired: string
  expiresAt: (time: string) => string

  byYou: string
  byRule: string
  byAlways: string
  edited: string
  allowedByAlways: (givenAt: string | undefined) => string
  editedInput: string
  status: {
    preparing: string
    validating: string
    awaitingApproval: string
    approved: string
    /** A decision is sent again until the server answers. */
    sending: string
    /** A decision was sent and not answered. */
    mayHaveRun: string
    scheduled: string
    executing: string
    success: string
    error: string
    timeout: string
    denied: string
    cancelled: string
    interrupted: string
    awaitingOutput: string
    answered: string
  }
  deniedBecause: (reason: string) => string
  /** How far a call was that was cancelled: not decided, not begun, or it may have run. */
  cancelledText: { before: string; unstarted: string; mayHaveRun: string }
  interruptedText: string
  timeoutText: string
  /** The status of a call whose tool came to its end after that. */
  laterDone: (status: string) => string
  lateText: string
  lateOutput: string
  mayHaveRunText: string
  /** Sends a decision again that may have arrived. */
  sendAgain: string
  /** A call that did not run as that could not be recorded. */
  record: {
    failed: string
    runWithout: string
    /** In a receipt. */
    without: string
  }
  cut: (shownLines: string, totalLines: string) => string

  /** The question about a call: preview, forms, undo, groups. */
  /** What went wrong, for people, by what can be done about it. Default: English. */
  errors?: ErrorWords
  /** The sheet of shortcuts. Default: English. */
  shortcuts?: ShortcutWords
  content: ContentWords
  ask: AskWords

  /** What stands beside the conversation: waiting calls, permissions, the record, attention. */
  approvals: ApprovalWords

  /** Said to screen readers; never shown. */
  announce: {
    asks: (sentence: string, risk: string) => string
    asksAnswer: (sentence: string) => string
    approved: (sentence: string) => string
    sending: (sentence: string) => string
    unanswered: (sentence: string) => string
    denied: (sentence: string) => string
    succeeded: (sentence: string) => string
    failed: (sentence: string) => string
    cancelled: (sentence: string) => string
    expired: (sentence: string) => string
    answering: string
    moved: (position: number, total: number) => string
    answered: string
    stopped: string
    error: (message: string) => string
  }
}
