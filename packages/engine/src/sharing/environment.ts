import type { EngineError } from '../errors.ts'

/** What is used of the browser's `LockManager` (Web Locks). */
export interface LockManagerLike {
  request(
    name: string,
    options: { signal?: AbortSignal },
    callback: () => Promise<void>,
  ): Promise<unknown>
}

/** What is used of a `BroadcastChannel`. */
export interface ChannelLike {
  postMessage(message: unknown): void
  addEventListener(
    type: 'message' | 'messageerror',
    listener: (event: { data: unknown }) => void,
  ): void
  close(): void
}

/** What tabs of one origin share an engine by. Default of each: the browser's own. */
export interface SharingEnvironment {
  locks?: LockManagerLike
  /** Opens a channel to the other tabs by a name. */
  channel?: (name: string) => ChannelLike
  /**
   * Why a command is not carried out that somebody gives here, on a channel of this name; `undefined` at once or later
   * where it is. Default: every command is.
   */
  permit?: (name: string, command: SharedCommand) => Promise<EngineError | undefined> | undefined
}

/** A command of a plugin, as all tabs know it. */
export interface SharedCommand {
  readonly method: 'runPluginCommand'
  readonly plugin: string
  readonly command: string
  readonly payload: unknown
}

/** What is there to share by. */
export type FullEnvironment = SharingEnvironment & Required<Omit<SharingEnvironment, 'permit'>>

/** Whether tabs can share an engine here: whether there are locks and channels. */
export function canShare(given: SharingEnvironment = {}): boolean {
  return sharingEnvironment(given) !== undefined
}

/**
 * What is there to share by; `undefined` when something is missing.
 *
 * A server has locks and channels too, for all its users at once: there they are used when they are
 * given only.
 */
export function sharingEnvironment(given: SharingEnvironment): FullEnvironment | undefined {
  const isBrowser = 'document' in globalThis || 'WorkerGlobalScope' in globalThis
  const locks = given.locks ?? (isBrowser ? globalThis.navigator?.locks : undefined)
  const hasChannels = isBrowser && 'BroadcastChannel' in globalThis
  const channel =
    given.channel ?? (hasChannels ? (name: string) => new BroadcastChannel(name) : undefined)
  if (!locks || !channel) return undefined
  return { locks, channel, ...(given.permit && { permit: given.permit }) }
}
