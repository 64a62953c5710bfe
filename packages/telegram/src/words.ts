import type { ToolRisk, TurnNotice } from '@assent/engine'
import type { BuiltInName } from './built-in-commands.ts'

/** What is going on in a conversation. */
export interface StatusFacts {
  /** Questions that wait for a decision or an answer. */
  readonly asked: number
  readonly isWorking: boolean
  /** Messages that are not begun. */
  readonly queued: number
  /** What an attempt failed with that is made again. */
  readonly retry: { readonly reason: string; readonly seconds: number } | undefined
}

/** What the channel says. Give your own for another language, all or some of them. */
export interface TelegramWords {
  /** Answers `/start`. */
  readonly welcome: string
  /** Answers `/help`, above the list of commands. */
  readonly help: string
  /** What commands do, for `/help` and the menu of the app. */
  readonly commands: Readonly<Record<BuiltInName, string>>
  /** Answers `/new`: how many messages were stopped by it. */
  newConversation(stopped: number): string
  /** A command of your own has thrown. */
  readonly commandFailed: string
  /** To somebody who may not talk to the bot; the ids are those to allow. */
  stranger(userId: number, chatId: number): string
  unknownCommand(command: string): string
  /** There is nothing in a message that the assistant could read. */
  readonly unreadable: string
  /** A file is larger than so many bytes. */
  fileTooLarge(maxBytes: number): string
  /** Files are of kinds that the assistant cannot read: their names or types, and the types that it can. */
  fileNotAccepted(files: readonly string[], accepted: readonly string[]): string
  /** Too many messages wait. */
  tooManyWaiting(most: number, seconds: number): string
  /** Too many messages in an hour or a day. */
  quotaUsed(most: number, per: 'hour' | 'day', seconds: number): string
  /** To a message that was edited after the assistant had begun with it. */
  readonly editTooLate: string
  /** A message could not be taken in. */
  readonly notTaken: string
  /** A task failed for good. */
  failed(reason: string): string
  /** On the buttons below that. */
  readonly tryAgain: string
  readonly withoutFile: string
  readonly newConversationButton: string
  /** Answers to these. */
  readonly tryingAgain: string
  readonly tryingWithout: string
  readonly failureOver: string
  readonly mayNotTalk: string
  /** The model cannot be reached; said once for a message. */
  readonly modelUnreachable: string
  /** Messages cannot be stored for now; said once in a chat until they can. */
  readonly notKeptYet: string
  /** Why a reply ends where it does; `empty` also when the assistant had nothing to say. */
  notice(notice: TurnNotice): string
  /** In front of a message that may be there already. At most 96 characters. */
  readonly repeated: string
  /** In front of a reply that could not be sent before; `time` is when it was ready. At most 200 characters. */
  late(time: string): string
  /** In the place of an answer that has text, but none that is shown. */
  readonly unshown: string
  /** Answers `/status`. */
  status(facts: StatusFacts): string
  /** Answers `/stop`: how many tasks were told to end. */
  stopped(count: number): string

  readonly ask: string
  readonly askForOutput: string
  useTool(toolName: string): string
  tool(toolName: string): string
  risk(risk: ToolRisk): string
  why(reason: string): string
  /** A decision could not be taken, so it is asked again. */
  askedAgain(why: string): string
  alsoInRest(telling: readonly string[]): string
  readonly restInFile: string
  readonly shownAbove: string
  /** To a message that came while a question waits. */
  readonly decideFirst: string
  /** To a written yes or no, where only a button decides. */
  readonly useButtons: string
  /** So many more questions wait. */
  moreDecisions(count: number): string
  readonly replyToDeny: string
  readonly replyToAnswer: string
  decideBefore(time: string): string

  readonly approve: string
  readonly always: string
  readonly deny: string
  readonly noAnswer: string
  readonly confirm: string
  readonly back: string
  readonly alwaysInput: string
  alwaysTool(toolName: string): string

  /** First line of a receipt. */
  decided(outcome: 'yes' | 'yes_always' | 'no' | 'answered', by: string, time: string): string
  /** First line of the receipt of a decision that could not be taken; the call was asked about again. */
  decisionNotTaken(by: string, time: string): string
  /** Where it is not known why. */
  readonly asksBelow: string
  alwaysCovers(covers: 'tool' | 'input', toolName: string): string
  /** On the button of such a receipt. */
  readonly revoke: string
  /** Last line of such a receipt, and the answer to the button. */
  readonly revoked: string
  reason(words: string): string
  expired(time: string): string
  readonly lapsed: string
  /** In the place of a name, when nobody decided. */
  readonly nobody: string
  /** Reason of a denial, for the assistant. */
  readonly expiredReason: string
  readonly unaskedReason: string
  readonly noAnswerReason: string
  readonly stopReason: string

  /** Alerts, at most 200 characters. */
  readonly mayNotDecide: string
  alreadyDecided(by: string): string
  readonly sameDecision: string
  readonly unknownButton: string
  /** A press could not be checked: the database or `allow` failed. It is checked again. */
  readonly pressAgain: string
  readonly confirmFirst: string
  readonly notOffered: string
  readonly noted: string
  /** To a reply to a question that is decided. */
  replyTooLate(by: string): string
  /** Answers `/permissions`, above a line for each. */
  permissions(count: number): string
  /** What a standing permission covers; `call` is the one that it was given on. */
  permissionCovers(covers: 'tool' | 'input' | 'pattern', call: string): string
  permissionGiven(time: string, uses: number): string
  revokeNumber(number: number): string
  /** It is revoked later: the conversation is being worked on. */
  readonly revokeWaits: string
  /** There is nothing to revoke any more. */
  readonly notStanding: string
  /** The permission was just given. */
  readonly notStandingYet: string
  /** A point in time. */
  time(at: number): string
}

const messages = (count: number): string => `${count} ${count === 1 ? 'message' : 'messages'}`

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.ceil(seconds))} seconds`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 90 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`
}

const RISKS: Readonly<Record<ToolRisk, string>> = {
  read: 'reads only',
  write: 'changes data',
  send: 'sends data out',
  destroy: "can't be undone",
}

const OUTCOMES = {
  yes: '✓ Approved',
  yes_always: '✓ Always approved',
  no: '✗ Denied',
  answered: '✓ Answered',
}

const NOTICES: Readonly<Record<TurnNotice, string>> = {
  'max-steps': 'I stopped at the step limit. Send a message to continue.',
  'max-continuations': 'The model paused too often, so I stopped. Send a message to continue.',
  'repeated-calls':
    'I made the same call again and again, so I stopped. Send a message to continue.',
  length: 'My reply was cut off at the length limit. Send a message to continue.',
  'content-filter': 'A content filter cut off my reply.',
  refusal: 'The model declined to answer this.',
  empty: 'I have nothing to add.',
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ['image/*', 'images'],
  ['audio/*', 'audio'],
  ['video/*', 'videos'],
  ['text/*', 'text files'],
  ['application/pdf', 'PDF files'],
])

/** What people call a media type; a name of a file stays what it is. */
function kindOf(mediaType: string): string {
  const [family = ''] = /^(?:audio|image|video)(?=\/)/.exec(mediaType) ?? []
  return KINDS.get(mediaType) ?? KINDS.get(`${family}/*`) ?? mediaType
}

const time = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
})

export const english: TelegramWords = {
  welcome:
    "Hello. Tell me what you need. I'll ask before I do anything that needs your approval. Send /help for more.",
  help: [
    'Send me a message or a file. I answer messages one at a time.',
    'When I ask for approval, use the buttons. To deny with a reason, reply to my question.',
  ].join('\n'),
  commands: {
    new: 'Start a new conversation',
    status: "See what I'm doing",
    stop: 'Stop the current message; "/stop all" also drops queued ones',
    permissions: 'See and revoke standing permissions',
    help: 'See how this works',
    start: 'Say hello',
  },
  newConversation: (stopped) =>
    stopped === 0
      ? "New conversation. I won't look at earlier messages."
      : `New conversation. I stopped ${messages(stopped)}, and I won't look at earlier ones.`,
  commandFailed: "This command didn't work. Nothing was sent to the assistant.",
  stranger: (userId, chatId) =>
    `You don't have access to this bot. Its owner can give it to you: user ${userId}, chat ${chatId}.`,
  unknownCommand: (command) => `I don't know ${command}. Send /help for what I know.`,
  unreadable: 'I can only read text and files, so I skipped this message.',
  fileTooLarge: (maxBytes) =>
    `This file is larger than ${Math.floor(maxBytes / 1_000_000)} MB, so I skipped this message.`,
  fileNotAccepted: (files, accepted) =>
    `I can't read ${files.map(kindOf).join(', ')}, so I skipped this message. ` +
    `I can read ${accepted.length === 0 ? 'text only' : accepted.map(kindOf).join(', ')}.`,
  tooManyWaiting: (most, seconds) =>
    `${messages(most)} are already waiting here, so I skipped this one. ` +
    `Send it again in ${duration(seconds)}.`,
  quotaUsed: (most, per, seconds) =>
    `The limit is ${messages(most)} per ${per}, so I skipped this one. ` +
    `Send it again in ${duration(seconds)}.`,
  editTooLate:
    "I've already started on the message as it was. Send the change as a new message, or /stop first.",
  notTaken: "Something went wrong, and I couldn't take your message. Please send it again.",
  failed: (reason) => `I couldn't finish this. ${reason}`,
  tryAgain: 'Try again',
  withoutFile: 'Send without the file',
  newConversationButton: 'New conversation',
  tryingAgain: 'Trying again.',
  tryingWithout: 'Trying without the file.',
  failureOver: 'This message was dealt with already.',
  mayNotTalk: "You can't do this here.",
  modelUnreachable:
    "I can't reach the AI model right now. Your message is kept, and I'll answer as soon as I can.",
  notKeptYet:
    "I can't store messages right now. You don't need to send yours again: I'll answer as soon as I can.",
  notice: (notice) => NOTICES[notice],
  repeated: '(This may reach you a second time.)',
  late: (time) => `I finished this at ${time}, but couldn't tell you until now.`,
  unshown: 'My answer has nothing that can be shown here.',
  status({ asked, isWorking, queued, retry }) {
    const tried = retry && `${retry.reason} I'll try again in ${duration(retry.seconds)}.`
    const lines = [
      asked === 0 ? '' : `I'm waiting for ${asked === 1 ? 'a decision' : `${asked} decisions`}.`,
      isWorking ? "I'm working on your message." : '',
      tried ? `The last attempt failed: ${tried}` : '',
      queued === 0 ? '' : `Queued: ${messages(queued)}.`,
    ].filter((line) => line !== '')
    return lines.length === 0 ? 'Nothing to do. Send me a message.' : lines.join('\n')
  },
  stopped: (count) =>
    count === 0 ? 'Nothing to stop.' : `Stopped: I won't answer ${messages(count)}.`,

  ask: 'May I do this?',
  askForOutput: 'I need an answer from you.',
  useTool: (toolName) => `Use ${toolName}`,
  tool: (toolName) => `Tool: ${toolName}`,
  risk: (risk) => RISKS[risk],
  why: (reason) => `Why I ask: ${reason}`,
  askedAgain: (why) => `I have to ask again: ${why}`,
  alsoInRest: (telling) => `Also in the rest: ${telling.join(', ')}`,
  restInFile: 'The file above has all of it.',
  shownAbove: 'What it would do is shown above.',
  decideFirst: 'Your message is queued. I need a decision first:',
  useButtons: 'Use the buttons to decide. A written yes approves nothing:',
  moreDecisions: (count) =>
    count === 1
      ? '1 more decision is waiting above.'
      : `${count} more decisions are waiting above.`,
  replyToDeny: 'To deny with a reason, reply to this message.',
  replyToAnswer: 'Reply to this message with your answer.',
  decideBefore: (time) => `Expires ${time}.`,

  approve: 'Approve',
  always: 'Always …',
  deny: 'Deny',
  noAnswer: 'No answer',
  confirm: "Yes, do it. It can't be undone",
  back: 'Back',
  alwaysInput: 'Always, exactly this',
  alwaysTool: (toolName) => `Always ${toolName}, any input`,

  decided: (outcome, by, time) => `${OUTCOMES[outcome]} by ${by}, ${time}`,
  decisionNotTaken: (by, time) => `✗ Not accepted: the decision by ${by}, ${time}`,
  asksBelow: 'I asked again below.',
  alwaysCovers: (covers, toolName) =>
    covers === 'tool'
      ? `I won't ask again before I use ${toolName} in this conversation.`
      : "I won't ask again before exactly this in this conversation.",
  revoke: 'Revoke',
  revoked: "Revoked. I'll ask again.",
  reason: (words) => `“${words}”`,
  expired: (time) => `✗ Denied: nobody decided in time, ${time}`,
  lapsed: 'No longer waits for you: it was decided elsewhere, or stopped.',
  nobody: 'nobody',
  expiredReason: 'Nobody decided in time.',
  unaskedReason: "The person couldn't be asked.",
  noAnswerReason: 'The person gave no answer.',
  stopReason: 'The person stopped it.',

  mayNotDecide: "You can't decide this.",
  alreadyDecided: (by) => `Already decided by ${by}.`,
  sameDecision: 'Already decided that way.',
  unknownButton: 'This button no longer works.',
  pressAgain: "I couldn't check this just now. I'll try again in a moment.",
  confirmFirst: 'Press Approve first.',
  notOffered: "This can't be always allowed.",
  noted: 'Noted.',
  replyTooLate: (by) =>
    `${by} already decided this, so I didn't pass your reply on. Send it as a new message.`,
  permissions: (count) =>
    count === 0
      ? 'No standing permissions in this conversation.'
      : "Standing permissions in this conversation. I don't ask before these:",
  permissionCovers: (covers, call) =>
    covers === 'tool'
      ? 'every call'
      : covers === 'input'
        ? `exactly this: ${call}`
        : `calls like this: ${call}`,
  permissionGiven: (time, uses) =>
    `Given ${time}. ${uses === 0 ? 'Not used yet.' : `Used ${uses === 1 ? 'once' : `${uses} times`}.`}`,
  revokeNumber: (number) => `Revoke ${number}`,
  revokeWaits:
    "Revoking. What has started goes on; I'll ask before the next call. /stop ends the message now.",
  notStanding: 'This permission has ended already.',
  notStandingYet: "This permission isn't in effect yet. Press again in a moment.",
  time: (at) => `${time.format(at)} UTC`,
}

/**
 * Characters of the line in front of a message that is sent again, its line break included: the room
 * that every message leaves for it.
 */
export const MAX_REPEATED_LENGTH = 98

/** The same for the line in front of a reply that comes late. */
export const MAX_LATE_LENGTH = 201
