import type { JSONValue, UIMessage } from 'ai'
import { describeThrown, EngineError } from './errors.ts'
import { isEqualJson } from './message/json-equality.ts'
import { toolCallsOf } from './message/tool-calls.ts'
import { isWaiting } from './message/tool-part.ts'

/** What a person has begun and not sent: a text, a reason, an edited input. Serialisable. */
export interface Draft {
  /** What the app calls it; one draft per key. */
  readonly key: string
  readonly value: JSONValue
  readonly about?: DraftSubject
}

/** What a draft is about, and does not outlive. */
export interface DraftSubject {
  /** It goes when this message does. */
  readonly messageId: string
  /** It goes as soon as this call of the message does not wait for a person any more. */
  readonly toolCallId?: string
}

/** What may be changed of the drafts: one of them; without a value it is dropped. */
export type DraftChange = Omit<Draft, 'value'> & { readonly value: JSONValue | undefined }

/** Longest draft, in UTF-16 units of its JSON: more could fill a small store. */
const LONGEST = 100_000

/**
 * A change as it is kept: a copy, so that nothing that is changed later, or reactive, is in it.
 * Throws `invalid_argument`.
 */
export function toDraftChange(
  key: string,
  value: JSONValue | undefined,
  about?: DraftSubject,
): DraftChange {
  if (typeof key !== 'string' || key === '') throw refusal('A draft needs a key.')
  const text = textOf(value)
  if (text !== undefined && text.length > LONGEST) {
    throw refusal(`A draft has at most ${LONGEST} characters as JSON; this one ${text.length}.`)
  }
  return {
    key,
    value: text === undefined ? undefined : JSON.parse(text),
    ...(about && { about: { ...about } }),
  }
}

/** The drafts after a change: the same list when nothing changed, or when it came too late. */
export function changeDrafts(
  drafts: readonly Draft[],
  { value, ...change }: DraftChange,
  getMessage: (messageId: string) => UIMessage | undefined,
): readonly Draft[] {
  const before = drafts.find(({ key }) => key === change.key)
  const draft = value === undefined ? undefined : { ...change, value }
  if (draft && (isEqualJson(before, draft) || !isAlive(draft, getMessage))) return drafts
  if (!before) return draft ? [...drafts, draft] : drafts
  return drafts.flatMap((other) => (other === before ? (draft ?? []) : other))
}

/** The drafts whose subjects are there; the same list when all are. */
export function livingDrafts(
  drafts: readonly Draft[],
  getMessage: (messageId: string) => UIMessage | undefined,
): readonly Draft[] {
  const living = drafts.filter((draft) => isAlive(draft, getMessage))
  return living.length < drafts.length ? living : drafts
}

function isAlive(
  { about }: Draft,
  getMessage: (messageId: string) => UIMessage | undefined,
): boolean {
  if (!about) return true
  const message = getMessage(about.messageId)
  if (!message || about.toolCallId === undefined) return message !== undefined
  return toolCallsOf(message).some(
    ({ part, toolCallId }) => toolCallId === about.toolCallId && isWaiting(part),
  )
}

function textOf(value: JSONValue | undefined): string | undefined {
  if (value === undefined) return undefined
  try {
    const text: unknown = JSON.stringify(value)
    if (typeof text === 'string') return text
  } catch (cause) {
    throw refusal(`A draft is JSON: ${describeThrown(cause)}`)
  }
  throw refusal('A draft is JSON, which this is not.')
}

function refusal(text: string): EngineError {
  return new EngineError('invalid_argument', text)
}
