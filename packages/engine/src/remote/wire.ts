import type { JSONValue } from 'ai'
import type {
  StorageClaim,
  StorageListRange,
  StorageRange,
  StorageWriteResult,
} from '../storage/storage.ts'

/** What a page asks of the server of its conversations. */
export type AskedByPage =
  | {
      readonly ask: 'read'
      readonly id: number
      readonly namespace: string
      readonly range?: StorageRange | undefined
    }
  | {
      readonly ask: 'write'
      readonly id: number
      readonly namespace: string
      readonly put: readonly (readonly [key: string, value: JSONValue])[]
      readonly remove: readonly string[]
      readonly claim?: StorageClaim | undefined
      readonly durability?: 'strict' | 'relaxed' | undefined
      /** The token of who holds it; none for what anybody may change, such as its title. */
      readonly fence?: number | undefined
    }
  | {
      readonly ask: 'remove'
      readonly id: number
      readonly namespace: string
      readonly fence?: number | undefined
    }
  | { readonly ask: 'removeAll'; readonly id: number; readonly prefix: string }
  | {
      readonly ask: 'list'
      readonly id: number
      readonly key: string
      readonly range?: StorageListRange | undefined
    }
  /** Which namespaces may have a text. */
  | { readonly ask: 'search'; readonly id: number; readonly text: string; readonly prefix: string }
  /** The token for a namespace: that of the hold of this page, or the next one. */
  | { readonly ask: 'fence'; readonly id: number; readonly namespace: string }
  /** The page wants to hold a conversation; it says later that it does not any more. */
  | { readonly ask: 'hold'; readonly hold: string; readonly conversationId: string }
  | { readonly ask: 'release'; readonly hold: string }
  | { readonly ask: 'join' | 'leave'; readonly channel: string }
  /** The page wants to carry a command out that decides. */
  | {
      readonly ask: 'decide'
      readonly id: number
      readonly channel: string
      readonly request: JSONValue
    }
  | { readonly ask: 'say'; readonly channel: string; readonly text: string }

/** What the server tells a page. */
export type ToldToPage =
  /** At first: it wants to be asked before a decision is made. */
  | { readonly tell: 'checks' }
  /** At first: it can be asked for a text. */
  | { readonly tell: 'searches' }
  /** What a `read` or `list` found, what became of a write, a token, or that something was done. */
  | {
      readonly tell: 'done'
      readonly id: number
      readonly entries?: readonly (readonly [string, JSONValue])[]
      readonly written?: StorageWriteResult
      readonly token?: number
      readonly namespaces?: readonly string[]
    }
  | {
      readonly tell: 'failed'
      readonly id: number
      readonly code: string
      readonly message: string
    }
  /** The page has the conversation that it asked for; and it has it no more. */
  | { readonly tell: 'held' | 'lost'; readonly hold: string }
  /** Another page said something on a channel. */
  | { readonly tell: 'heard'; readonly channel: string; readonly text: string }
  /** Another page changed what the list shows of one conversation, or, without an id, of any. */
  | { readonly tell: 'listed'; readonly id?: string }
  /** Another page wrote records that are of no conversation. */
  | { readonly tell: 'changed'; readonly namespace: string }
  /** Something that was said on a channel may not have been heard. */
  | { readonly tell: 'missed'; readonly channel: string }
