export { createSharedEngine } from './create-shared-engine.ts'
export { canShare } from './environment.ts'
export type { SharedEngine, SharedEngineOptions, SharingRole } from './shared-engine.ts'
export type { ChannelLike, LockManagerLike, SharingEnvironment } from './environment.ts'
