import type { UIMessage } from 'ai'
import { isRecord } from '../message/tool-part.ts'
import type { CallRequest, SentResult } from './calls.ts'
import type { ChannelLike } from './environment.ts'
import type { SentState, StateChange } from './state-change.ts'

/** The version of what tabs say to each other. */
const PROTOCOL = 1
/** What came to that version later, so that older tabs go on with it: 1, `grown` in a change. */
const REVISION = 1

/**
 * What tabs say to each other. `from` and `to` are tabs. A term is the time that one tab holds the
 * conversation; later ones have greater numbers.
 */
export type ChannelMessage<MESSAGE extends UIMessage = UIMessage> = {
  readonly from: string
  /** That of the tab; none of one that is older than revisions. */
  readonly revision?: number
} & (
  | {
      /** A mirror is there, and what it knows: a holder sends it what it lacks. */
      readonly type: 'hello'
      readonly term: number
      /** The last change of that term that it has; none when it has lost track. */
      readonly seq: number | undefined
    }
  | { readonly type: 'bye' }
  | {
      readonly type: 'snapshot'
      /** One tab; without it all. */
      readonly to?: string
      readonly term: number
      readonly seq: number
      readonly state: SentState<MESSAGE>
    }
  | {
      readonly type: 'change'
      readonly term: number
      readonly seq: number
      readonly change: StateChange<MESSAGE>
    }
  /** The holder gave the conversation up. */
  | { readonly type: 'left'; readonly term: number }
  | {
      readonly type: 'call'
      /** The holder that is asked. Another one leaves it: the caller asks anew. */
      readonly term: number
      readonly callId: string
      readonly request: CallRequest<MESSAGE>
    }
  | {
      readonly type: 'reply'
      readonly to: string
      readonly callId: string
      readonly result: SentResult
    }
)

/** A message without its sender. */
export type Said<MESSAGE extends UIMessage> =
  ChannelMessage<MESSAGE> extends infer ONE
    ? ONE extends unknown
      ? Omit<ONE, 'from' | 'revision'>
      : never
    : never

/** Sends a message. Throws what the channel throws for what cannot be cloned. */
export function say(channel: ChannelLike, message: ChannelMessage): void {
  const sent = { assent: PROTOCOL, revision: REVISION, ...message }
  try {
    channel.postMessage(sent)
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'DataCloneError') throw error
    // Such as the proxies that a reactive framework hands over.
    channel.postMessage(plainCopy(sent))
  }
}

/** What was heard: a message, or one of another version of this package, which nobody understands. */
export function hear(data: unknown): ChannelMessage | 'other-version' | undefined {
  if (!isRecord(data) || typeof data['assent'] !== 'number') return undefined
  // Channels are of one origin, and the version vouches for the form.
  return data['assent'] === PROTOCOL ? (data as unknown as ChannelMessage) : 'other-version'
}

function plainCopy(value: unknown): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') return undefined
  if (Array.isArray(value)) return value.map(plainCopy)
  if (!isRecord(value)) return value
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, plainCopy(entry)]))
}
