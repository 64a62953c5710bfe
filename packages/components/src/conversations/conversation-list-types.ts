import type { ConversationListing } from '@assent/engine/storage'
import type { UseMessageReturn } from '@assent/vue'
import type { UseConversationsReturn } from '@assent/vue/conversations'

/** What the list needs of `useConversations()`, whatever its messages are. */
export type ConversationSource = Pick<
  UseConversationsReturn,
  | 'conversations'
  | 'isLoaded'
  | 'active'
  | 'found'
  | 'hasMore'
  | 'loadMore'
  | 'error'
  | 'open'
  | 'create'
  | 'rename'
  | 'remove'
  | 'search'
  | 'exportConversation'
  | 'importConversation'
> & { readonly chat: Pick<UseMessageReturn, 'messageIds'> }

/** What can be done with conversations. */
export type ConversationOffer = 'create' | 'search' | 'rename' | 'export' | 'delete' | 'import'

/** Props of `AsConversationList`: either `source`, or `conversations` and what goes with it. */
export interface AsConversationListProps {
  /** All that `useConversations()` gave: then the list does all itself, and still tells of it. */
  source?: ConversationSource
  /** Without `source`: the conversations themselves, the one that changed last first. What `useConversations()` gave is a `source`. */
  conversations?: readonly ConversationListing[]
  /** The one that is shown. */
  activeId?: string
  /**
   * What a search has found, while there is one: see the event `search`. Without it the list looks for
   * the words in the titles.
   */
  found?: readonly ConversationListing[]
  /** Whether the conversations are known; before that, none is no news. Default `true`. */
  isLoaded?: boolean
  /** Whether the one that is shown is a new one already. Default `false`. */
  isNew?: boolean
  /** What is wrong, in words. */
  error?: string
  /** What can be done. Default: all. */
  offers?: readonly ConversationOffer[]
}

/** Events of `AsConversationList`. With a `source`, what they tell of is done already. */
export interface AsConversationListEmits {
  open: [id: string]
  create: []
  /** An empty title takes a given one back. */
  rename: [id: string, title: string]
  delete: [id: string]
  export: [id: string]
  /** A file was chosen; its text is what was exported once. */
  import: [text: string, file: File]
  /** A moment after the last key; empty when there is nothing to search for any more. */
  search: [text: string]
}

/** Slots of `AsConversationList`. */
export interface AsConversationListSlots {
  /** Above the button for a new one. */
  header?: () => unknown
  /** In place of a conversation's name. */
  name?: (props: { conversation: ConversationListing; isActive: boolean }) => unknown
  /** While there is no conversation. */
  empty?: () => unknown
  /** Below the list. */
  footer?: () => unknown
}
