import { foldText } from '@assent/engine/reading'
import type { TaskCall } from '@assent/worker'
import { evidenceOf, visible } from './evidence.ts'
import type { KeptDecision } from './telegram-records.ts'
import { joinRich, rich, styled, type RichText } from './rich-text.ts'
import { MAX_MESSAGE_LENGTH, splitRich } from './split-text.ts'
import type { TelegramWords } from './words.ts'

/** A question as it is sent. */
export interface AskMessages {
  /** What does not fit beside the question, to be sent before it. */
  readonly ahead: readonly RichText[]
  /** The whole evidence, when some of it is folded, to be sent before it as a file. */
  readonly file: string | undefined
  /** Fits in one message. */
  readonly question: RichText
}

/** What a question is made of beside the call. */
export interface AskFacts {
  readonly call: TaskCall
  /** Why an earlier decision on the same call could not be taken. */
  readonly askedAgain?: string | undefined
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number | undefined
}

/** How a question ended. */
export type AskEnding =
  | { readonly kind: 'decided'; readonly decision: KeptDecision }
  /** It could not be taken, and its call was asked about again. */
  | {
      readonly kind: 'not-taken'
      readonly decision: KeptDecision
      readonly why?: string | undefined
    }
  | { readonly kind: 'expired'; readonly at: number }
  | { readonly kind: 'lapsed' }

/** Characters of a line of the head; what is longer is shown in full with the evidence. */
const MAX_LINE = 800
/** Messages of evidence before a question; what is longer is in a file. */
const MAX_AHEAD = 10

/** What a person is asked about a call: what it would do, how risky that is, and why it asks. */
export function askMessages(facts: AskFacts, words: TelegramWords): AskMessages {
  const { call, expiresAt } = facts
  const head = headOf(facts, words)
  const evidence = evidenceText(call)
  // Before hidden characters have names: where there are any, nothing is folded.
  const { shown, telling, isFolded } = foldText(evidence.text)
  const body = joinRich(
    [
      styled(evidence.style, visible(shown)),
      telling.length > 0 ? words.alsoInRest(telling.map(visible)) : '',
      isFolded ? words.restInFile : '',
    ],
    '\n',
  )
  const foot = joinRich(
    [
      call.kind === 'output' ? words.replyToAnswer : words.replyToDeny,
      expiresAt === undefined ? '' : words.decideBefore(words.time(expiresAt)),
    ],
    '\n',
  )
  const whole = joinRich([head, body, foot], '\n\n')
  if (whole.text.length <= MAX_MESSAGE_LENGTH) {
    return { ahead: [], file: isFolded ? visible(evidence.text) : undefined, question: whole }
  }
  const ahead = splitRich(body)
  const isInFile = ahead.length > MAX_AHEAD
  const note = isInFile ? words.restInFile : words.shownAbove
  return {
    ahead: isInFile ? [] : ahead,
    file: isInFile || isFolded ? visible(evidence.text) : undefined,
    question: joinRich([head, note, foot], '\n\n'),
  }
}

/** A question that waits, in short: what would be done is shown by the one that it replies to. */
export function reminderText(
  call: TaskCall,
  say: string,
  more: number,
  words: TelegramWords,
): RichText {
  const [, ...what] = headLines({ call }, words)
  const foot = call.kind === 'output' ? words.replyToAnswer : ''
  return joinRich(
    [say, joinRich(what, '\n'), foot, more === 0 ? '' : words.moreDecisions(more)],
    '\n\n',
  )
}

/** What stands in the place of a question: who decided what, and when. */
export function receiptText(
  call: TaskCall,
  ending: AskEnding,
  words: TelegramWords,
  {
    isRevoked = false,
    isShort = false,
  }: { readonly isRevoked?: boolean; readonly isShort?: boolean } = {},
): RichText {
  const [line, ...notes] = endingLines(call, ending, words)
  if (isRevoked) notes.push(words.revoked)
  const [, ...what] = headLines({ call }, words)
  const head = joinRich([styled({ type: 'bold' }, line ?? ''), ...notes, ...what], '\n')
  if (isShort) return head
  const { style, text } = evidenceText(call)
  const whole = joinRich([head, styled(style, visible(foldText(text).shown))], '\n\n')
  return whole.text.length <= MAX_MESSAGE_LENGTH ? whole : head
}

function endingLines(call: TaskCall, ending: AskEnding, words: TelegramWords): string[] {
  switch (ending.kind) {
    case 'expired':
      return [words.expired(words.time(ending.at))]
    case 'lapsed':
      return [words.lapsed]
    case 'not-taken': {
      const { decision, why } = ending
      const by = clip(visible(decision.userName), 100)
      const reason = why === undefined ? words.asksBelow : clip(visible(why), MAX_LINE)
      return [words.decisionNotTaken(by, words.time(decision.at)), reason]
    }
    case 'decided': {
      const { outcome, covers, words: said = '', userName, at } = ending.decision
      const by = clip(visible(userName), 100)
      return [
        words.decided(outcome, by, words.time(at)),
        covers === undefined ? '' : words.alwaysCovers(covers, clip(visible(call.toolName), 100)),
        said === '' ? '' : words.reason(clip(visible(said), MAX_LINE)),
      ]
    }
  }
}

function headOf(facts: AskFacts, words: TelegramWords): RichText {
  return joinRich(headLines(facts, words), '\n')
}

function headLines({ call, askedAgain }: AskFacts, words: TelegramWords): RichText[] {
  const toolName = clip(visible(call.toolName), 100)
  const summary = visible(call.summary ?? words.useTool(call.toolName))
  const { requestReason: reason = '', risk } = call
  return [
    rich(call.kind === 'output' ? words.askForOutput : words.ask),
    styled({ type: 'bold' }, clip(summary, MAX_LINE)),
    rich(words.tool(toolName), risk === undefined ? '' : ` · ${words.risk(risk)}`),
    rich(reason === '' ? '' : words.why(clip(visible(reason), MAX_LINE))),
    rich(askedAgain === undefined ? '' : words.askedAgain(clip(visible(askedAgain), MAX_LINE))),
  ]
}

function evidenceText(call: TaskCall): {
  text: string
  style: { type: 'pre'; language?: string }
} {
  const { text, language } = evidenceOf(call)
  const cut = [call.summary ?? '', call.requestReason ?? ''].filter(
    (line) => line.length > MAX_LINE / 2,
  )
  return {
    text: [...cut, text].join('\n\n'),
    style: { type: 'pre', ...(language !== undefined && { language }) },
  }
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** The beginning of a text, cut where a character ends. */
function clip(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  let end = 0
  for (const { index, segment } of graphemes.segment(text.slice(0, maxLength + 64))) {
    if (index + segment.length >= maxLength) break
    end = index + segment.length
  }
  return `${text.slice(0, end)}…`
}
