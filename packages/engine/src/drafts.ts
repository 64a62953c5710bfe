import type { JSONValue, UIMessage } from 'ai'
import { isDevelopment } from './development.ts'
import { EngineError } from './errors.ts'
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

/** Longest draft, in UTF-16 units of its JSON: more could fill a small store. */
const LONGEST = 100_000

/**
 * A value as it is kept: a copy, so that nothing that is changed later, or reactive, is in it. Throws
 * `invalid_argument`.
 */
export function toDraftValue(key: string, value: JSONValue | undefined): JSONValue | undefined {
  const text = value === undefined ? 'null' : jsonOf(value)
  if (typeof key === 'string' && key && text && text.length <= LONGEST) {
    return value === undefined ? value : JSON.parse(text)
  }
  const must = isDevelopment && `A draft needs a key, and is JSON of at most ${LONGEST} characters.`
  throw new EngineError('invalid_argument', must, { details: { key } })
}

/** The drafts with one changed; the same list when nothing changed, or when it came too late. */
export function withDraft(
  drafts: readonly Draft[],
  draft: Omit<Draft, 'value'> & { readonly value: JSONValue | undefined },
  getMessage: GetMessage,
): readonly Draft[] {
  if (drafts.some((other) => isEqualJson(other, draft))) return drafts
  const others = drafts.filter(({ key }) => key !== draft.key)
  if (isDraft(draft)) return isAlive(draft, getMessage) ? [...others, draft] : drafts
  return others.length < drafts.length ? others : drafts
}

/** The drafts whose subjects are there; the same list when all are. */
export function livingDrafts(drafts: readonly Draft[], getMessage: GetMessage): readonly Draft[] {
  const living = drafts.filter((draft) => isAlive(draft, getMessage))
  return living.length < drafts.length ? living : drafts
}

type GetMessage = (messageId: string) => UIMessage | undefined

function isDraft(draft: { readonly value: JSONValue | undefined }): draft is Draft {
  return draft.value !== undefined
}

function isAlive({ about }: Draft, getMessage: GetMessage): boolean {
  if (!about) return true
  const { messageId, toolCallId } = about
  const message = getMessage(messageId)
  if (!message || toolCallId === undefined) return !!message
  return toolCallsOf(message).some((call) => call.toolCallId === toolCallId && isWaiting(call.part))
}

/** Not what the type says: a function, for one, has none. */
function jsonOf(value: JSONValue): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
