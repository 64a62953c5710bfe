import type { ToolRisk, TurnNotice } from '@assent/engine'

/** What the channel says. Give your own for another language, all or some of them. */
export interface TelegramWords {
  /** Answers `/start`. */
  readonly welcome: string
  /** Answers `/help`. */
  readonly help: string
  /** To somebody who may not talk to the bot; the ids are those to allow. */
  stranger(userId: number, chatId: number): string
  unknownCommand(command: string): string
  /** There is nothing in a message that the assistant could read. */
  readonly unreadable: string
  /** A file is larger than so many bytes. */
  fileTooLarge(maxBytes: number): string
  /** Too many messages wait. */
  tooManyWaiting(most: number, seconds: number): string
  /** Too many messages in an hour or a day. */
  quotaUsed(most: number, per: 'hour' | 'day', seconds: number): string
  /** A message could not be taken in. */
  readonly notTaken: string
  /** A task failed for good. */
  failed(reason: string): string
  /** Why a reply ends where it does; `empty` also when the assistant had nothing to say. */
  notice(notice: TurnNotice): string
  /** In front of a message that may be there already. At most 96 characters. */
  readonly repeated: string
  /** Answers `/status`. */
  status(facts: {
    readonly waiting: number
    readonly asked: number
    readonly working: boolean
  }): string
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
  alwaysCovers(covers: 'tool' | 'input', toolName: string): string
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
  readonly confirmFirst: string
  readonly notOffered: string
  readonly noted: string
  /** To a reply to a question that is decided. */
  replyTooLate(by: string): string
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
  read: 'only reads',
  write: 'changes something',
  send: 'sends something out',
  destroy: 'cannot be undone',
}

const OUTCOMES = {
  yes: '✓ Approved',
  yes_always: '✓ Always approved',
  no: '✗ Denied',
  answered: '✓ Answered',
}

const NOTICES: Readonly<Record<TurnNotice, string>> = {
  'max-steps': 'I stopped at the step limit for one message. Write to go on.',
  'max-continuations': 'The model paused too often, so I stopped. Write to go on.',
  'repeated-calls': 'I made the same call again and again, so I stopped. Write to go on.',
  length: 'My reply was cut off at the length limit. Write to go on.',
  'content-filter': 'A content filter cut off my reply.',
  refusal: 'The model declined to answer this.',
  empty: 'I have nothing to add.',
}

const time = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
})

export const english: TelegramWords = {
  welcome: 'Hello. Write what you need; I ask before I do anything that matters. /help tells more.',
  help: [
    'Write a message, or send a file with a few words. Messages are answered one after the other.',
    'When I ask for approval, use the buttons, or reply to my question to deny it and say why.',
    '',
    '/status tells what I am doing',
    '/stop ends what I am doing; /stop all drops what waits as well',
    '/help shows this',
  ].join('\n'),
  stranger: (userId, chatId) =>
    `I am not set up to talk here. Whoever runs me can allow it: user ${userId}, chat ${chatId}.`,
  unknownCommand: (command) => `I do not know ${command}. /help lists what I know.`,
  unreadable: 'I can read texts and files only, so I have not taken this in.',
  fileTooLarge: (maxBytes) =>
    `This file is too large: I take up to ${Math.floor(maxBytes / 1_000_000)} MB. I have not taken the message in.`,
  tooManyWaiting: (most, seconds) =>
    `${messages(most)} of this chat are waiting already, so I have not taken this one in. ` +
    `Send it again in ${duration(seconds)}.`,
  quotaUsed: (most, per, seconds) =>
    `That was more than ${messages(most)} in one ${per}, so I have not taken this one in. ` +
    `Send it again in ${duration(seconds)}.`,
  notTaken:
    'Something went wrong here, and I have not taken your message in. Please send it again.',
  failed: (reason) => `I could not finish this. ${reason}`,
  notice: (notice) => NOTICES[notice],
  repeated: '(This may reach you a second time.)',
  status({ waiting, asked, working }) {
    const now = working ? 'I am working.' : 'I am not working on anything.'
    const open = waiting === 0 ? 'Nothing waits.' : `${messages(waiting)} not answered yet.`
    const questions = `${asked} ${asked === 1 ? 'question waits' : 'questions wait'} for a decision.`
    return asked === 0 ? `${now} ${open}` : `${now} ${open} ${questions}`
  },
  stopped: (count) =>
    count === 0 ? 'There is nothing to stop.' : `Stopped: ${messages(count)} will not be answered.`,

  ask: 'May I do this?',
  askForOutput: 'I need an answer from you.',
  useTool: (toolName) => `Use ${toolName}`,
  tool: (toolName) => `Tool: ${toolName}`,
  risk: (risk) => RISKS[risk],
  why: (reason) => `Why I ask: ${reason}`,
  askedAgain: (why) => `I have to ask again: ${why}`,
  alsoInRest: (telling) => `Also in the rest: ${telling.join(', ')}`,
  restInFile: 'All of it is in the file above.',
  shownAbove: 'What it would do is shown above.',
  replyToDeny: 'Reply to this message to deny it and say why.',
  replyToAnswer: 'Reply to this message with your answer.',
  decideBefore: (time) => `To be decided before ${time}.`,

  approve: 'Approve',
  always: 'Always …',
  deny: 'Deny',
  noAnswer: 'No answer',
  confirm: 'Yes, do it: it cannot be undone',
  back: 'Back',
  alwaysInput: 'Always exactly this',
  alwaysTool: (toolName) => `Always ${toolName}, whatever it does`,

  decided: (outcome, by, time) => `${OUTCOMES[outcome]} by ${by}, ${time}`,
  alwaysCovers: (covers, toolName) =>
    covers === 'tool' ? `Holds for every ${toolName} in this chat.` : 'Holds for exactly this.',
  reason: (words) => `Said: ${words}`,
  expired: (time) => `✗ Nobody decided in time (${time}), so it was denied.`,
  lapsed: 'This does not wait any more: the task is over, or it was settled elsewhere.',
  nobody: 'nobody',
  expiredReason: 'Nobody decided about this in time.',
  unaskedReason: 'The person could not be asked about this.',
  noAnswerReason: 'The person gave no answer.',
  stopReason: 'The person stopped it.',

  mayNotDecide: 'You may not decide about this.',
  alreadyDecided: (by) => `Already decided by ${by}.`,
  sameDecision: 'That was decided just so already.',
  unknownButton: 'I do not know this button any more.',
  confirmFirst: 'Press Approve first.',
  notOffered: 'This cannot be allowed for always.',
  noted: 'Noted.',
  replyTooLate: (by) =>
    `That was decided already, by ${by}, so I have not passed your words on. Send them as a message of their own.`,
  time: (at) => `${time.format(at)} UTC`,
}

/**
 * Characters of the line in front of a message that is sent again, its line break included: the room
 * that every message leaves for it.
 */
export const MAX_REPEATED_LENGTH = 98
