import type { UIMessage } from 'ai'
import { given } from '../message/given.ts'
import { growingTextOf, growthBetween, withGrowingText } from '../message/growing-part.ts'
import { isEqualJson } from '../message/json-equality.ts'
import type { MessagePart } from '../message/tool-part.ts'
import type { EngineState } from '../state.ts'
import { fromSentError, toSentError, type SentError } from './sent-error.ts'

/** A state on its way to another tab. */
export interface SentState<MESSAGE extends UIMessage> extends Omit<
  EngineState<MESSAGE>,
  'messageIds' | 'error'
> {
  readonly error: SentError | undefined
}

/** What became another one from one publication to the next. Applying it twice is like once. */
export interface StateChange<MESSAGE extends UIMessage> {
  readonly facts: Partial<Omit<SentState<MESSAGE>, 'messages'>>
  /** Of all messages, when one came or went. */
  readonly messageIds?: readonly string[]
  readonly messages: readonly MessageChange<MESSAGE>[]
}

/** A message as it is now: whole, or the parts of it that changed, by their index. */
export type MessageChange<MESSAGE extends UIMessage> =
  | { readonly whole: MESSAGE }
  | {
      readonly head: Omit<MESSAGE, 'parts'>
      readonly partCount: number
      readonly parts: readonly (readonly [index: number, part: MESSAGE['parts'][number]])[]
      /** Parts of which a text has grown. */
      readonly grown?: readonly PartGrowth[]
    }

/** What came to the growing text of a part: twice is like once. */
export interface PartGrowth {
  readonly index: number
  /** How long the text was. */
  readonly from: number
  readonly added: string
  /** The part without that text, if anything else of it changed. */
  readonly rest?: MessagePart
}

type Fact = Exclude<keyof SentState<UIMessage>, 'messages' | 'error'>

const FACTS: readonly Fact[] = [
  'requestState',
  'processingState',
  'turn',
  'queue',
  'confirmations',
  'drafts',
  'earlier',
]

export function toSentState<MESSAGE extends UIMessage>({
  messageIds: _messageIds,
  error,
  ...facts
}: EngineState<MESSAGE>): SentState<MESSAGE> {
  return { ...facts, error: error && toSentError(error) }
}

/**
 * What differs, told by identity: what is the same object has not changed.
 *
 * @param isGrowthKnown who reads it knows `grown`
 */
export function changeBetween<MESSAGE extends UIMessage>(
  before: EngineState<MESSAGE>,
  after: EngineState<MESSAGE>,
  isGrowthKnown = true,
): StateChange<MESSAGE> {
  const changed = FACTS.filter((fact) => after[fact] !== before[fact])
  const isSameList = after.messageIds === before.messageIds
  const former = isSameList ? undefined : byId(before.messages)
  const messages: MessageChange<MESSAGE>[] = []
  // A loop, as it runs with every publication.
  for (let index = 0; index < after.messages.length; index++) {
    const message = after.messages[index]
    if (!message || (isSameList && message === before.messages[index])) continue
    const known = former ? former.get(message.id) : before.messages[index]
    if (known !== message) messages.push(messageChange(known, message, isGrowthKnown))
  }
  return {
    facts: {
      ...Object.fromEntries(changed.map((fact) => [fact, after[fact]])),
      ...(after.error !== before.error && { error: after.error && toSentError(after.error) }),
    },
    ...(isSameList ? {} : { messageIds: after.messageIds }),
    messages,
  }
}

/**
 * The state with a change; what did not change stays the same object. Throws a `RangeError` when the change is not
 * of this state.
 */
export function applyChange<MESSAGE extends UIMessage>(
  state: EngineState<MESSAGE>,
  { facts, messageIds, messages }: StateChange<MESSAGE>,
): EngineState<MESSAGE> {
  const { error, ...others } = facts
  return {
    ...state,
    ...others,
    ...('error' in facts && { error: error && fromSentError(error) }),
    ...(messageIds && { messageIds, messages: listOf(messageIds, state.messages, messages) }),
    ...(!messageIds && messages.length > 0 && { messages: replaced(state, messages) }),
  }
}

/** A state that was sent whole; what equals what is there already stays the same object. */
export function receiveState<MESSAGE extends UIMessage>(
  state: EngineState<MESSAGE>,
  { error, messages, ...facts }: SentState<MESSAGE>,
): EngineState<MESSAGE> {
  const kept = keepMessages(state.messages, messages)
  const keep = <FACT extends Fact>(fact: FACT): Pick<EngineState<MESSAGE>, FACT> => {
    const isKept = isEqualJson(state[fact], facts[fact])
    return isKept ? state : { ...state, [fact]: facts[fact] }
  }
  const messageIds = kept.map(({ id }) => id)
  const isSameError =
    state.error && error ? isEqualJson(toSentError(state.error), error) : state.error === error
  return {
    requestState: facts.requestState,
    processingState: facts.processingState,
    turn: keep('turn').turn,
    queue: keep('queue').queue,
    confirmations: keep('confirmations').confirmations,
    drafts: keep('drafts').drafts,
    ...given({ earlier: keep('earlier').earlier }),
    error: isSameError ? state.error : error && fromSentError(error),
    messages: isSame(kept, state.messages) ? state.messages : kept,
    messageIds: isSame(messageIds, state.messageIds) ? state.messageIds : messageIds,
  }
}

/**
 * Messages, with the former objects in place of those and of those parts that equal them: whoever
 * shows them has nothing to do.
 */
export function keepMessages<MESSAGE extends UIMessage>(
  former: readonly UIMessage[],
  messages: readonly MESSAGE[],
): MESSAGE[] {
  const known = byId(former)
  return messages.map((message) => {
    const before = known.get(message.id)
    if (!before) return message
    // What equals a message of this type is one.
    if (isEqualJson(before, message)) return before as MESSAGE
    const parts = message.parts.map((part, index) => {
      const formerPart = before.parts[index]
      return isEqualJson(formerPart, part) ? formerPart : part
    })
    return { ...message, parts } as MESSAGE
  })
}

function messageChange<MESSAGE extends UIMessage>(
  before: MESSAGE | undefined,
  after: MESSAGE,
  isGrowthKnown: boolean,
): MessageChange<MESSAGE> {
  if (!before) return { whole: after }
  const { parts: all, ...head } = after
  const parts: [number, MESSAGE['parts'][number]][] = []
  const grown: PartGrowth[] = []
  for (const [index, part] of all.entries()) {
    const former: MessagePart | undefined = before.parts[index]
    if (part === former) continue
    const growth = former === undefined || !isGrowthKnown ? undefined : growthBetween(former, part)
    if (!growth) parts.push([index, part])
    else {
      const { text, added, isSameElse } = growth
      const rest = isSameElse ? undefined : withGrowingText(part, '')
      grown.push({ index, from: text.length - added.length, added, ...given({ rest }) })
    }
  }
  return { head, partCount: all.length, parts, ...(grown.length > 0 && { grown }) }
}

function patched<MESSAGE extends UIMessage>(
  before: MESSAGE | undefined,
  change: MessageChange<MESSAGE>,
): MESSAGE {
  if ('whole' in change) return change.whole
  const { head, partCount, parts, grown = [] } = change
  const next: MessagePart[] = before?.parts.slice(0, partCount) ?? []
  for (const [index, part] of parts) next[index] = part
  for (const growth of grown) next[growth.index] = grownPart(next[growth.index], growth)
  // A head and the parts that were taken from it.
  return { ...head, parts: next } as UIMessage as MESSAGE
}

function grownPart(part: MessagePart | undefined, { from, added, rest }: PartGrowth): MessagePart {
  const text = part && growingTextOf(part)
  if (!part || text === undefined || text.length < from)
    throw new RangeError('What grew is not there.')
  return withGrowingText(rest ?? part, text.slice(0, from) + added)
}

/** The list anew, when messages came or went. */
function listOf<MESSAGE extends UIMessage>(
  messageIds: readonly string[],
  former: readonly MESSAGE[],
  changes: readonly MessageChange<MESSAGE>[],
): MESSAGE[] {
  const known = byId(former)
  for (const change of changes) known.set(idOf(change), patched(known.get(idOf(change)), change))
  return messageIds.flatMap((id) => known.get(id) ?? [])
}

/** The same list with some messages changed; they are looked for from the end, where they stream. */
function replaced<MESSAGE extends UIMessage>(
  { messages, messageIds }: Pick<EngineState<MESSAGE>, 'messages' | 'messageIds'>,
  changes: readonly MessageChange<MESSAGE>[],
): MESSAGE[] {
  const next = [...messages]
  for (const change of changes) {
    const index = messageIds.lastIndexOf(idOf(change))
    if (index !== -1) next[index] = patched(next[index], change)
  }
  return next
}

function idOf<MESSAGE extends UIMessage>(change: MessageChange<MESSAGE>): string {
  return 'whole' in change ? change.whole.id : change.head.id
}

function byId<MESSAGE extends UIMessage>(messages: readonly MESSAGE[]): Map<string, MESSAGE> {
  return new Map(messages.map((message) => [message.id, message]))
}

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index])
}
