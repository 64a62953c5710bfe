import { lazyPart } from '../context/lazy-part.ts'

/** A file of a message: most messages have none. */
export const BubbleFile = lazyPart(() => import('./BubbleFile.vue'))
