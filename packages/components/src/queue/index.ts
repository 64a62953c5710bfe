import { lazyPart } from '../context/lazy-part.ts'

/** Called beforehand, when a message may soon have to wait. */
export const loadQueue = () => import('./AsQueue.vue')
/** The messages that wait for their turn: edited, moved, removed, sent now. */
export const AsQueue = lazyPart(loadQueue)
export type { AsQueueEmits, AsQueueProps } from './queue-types.ts'
