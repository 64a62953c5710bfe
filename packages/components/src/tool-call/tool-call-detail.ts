import { lazyPart } from '../context/lazy-part.ts'

/** What went into a call and came out of it: most lines stay closed. */
export const ToolCallDetail = lazyPart(() => import('./ToolCallDetail.vue'))
