import { lazyPart } from '../context/lazy-part.ts'
import type ConversationList from './AsConversationList.vue'
import type Drawer from './AsDrawer.vue'

/** The conversations of a person: to go to, to find, to name, to keep and to throw away. */
export const AsConversationList: typeof ConversationList = lazyPart(
  () => import('./AsConversationList.vue'),
)
/** Lies over the page at its side, where there is no room beside it. */
export const AsDrawer: typeof Drawer = lazyPart(() => import('./AsDrawer.vue'))
export type { AsDrawerProps } from './AsDrawer.vue'
export type {
  AsConversationListEmits,
  AsConversationListProps,
  AsConversationListSlots,
  ConversationOffer,
  ConversationSource,
} from './conversation-list-types.ts'
