import { lazyPart } from '../context/lazy-part.ts'

/** The conversations of a person: to go to, to find, to name, to keep and to throw away. */
export const AsConversationList = lazyPart(() => import('./AsConversationList.vue'))
/** Lies over the page at its side, where there is no room beside it. */
export const AsDrawer = lazyPart(() => import('./AsDrawer.vue'))
export type { AsDrawerProps } from './AsDrawer.vue'
export type {
  AsConversationListEmits,
  AsConversationListProps,
  AsConversationListSlots,
  ConversationOffer,
  ConversationSource,
} from './conversation-list-types.ts'
