import { EngineError } from './errors.ts'

/** Throws `invalid_argument` for a name that is none: it must not mean everybody. */
export function assertOwner(owner: unknown): asserts owner is string {
  if (typeof owner === 'string' && owner !== '') return
  const text = 'An owner is a text that is not empty, such as the id of the user.'
  throw new EngineError('invalid_argument', text)
}

/** What the namespaces of an owner begin with, and of nobody else; empty for those without an owner. */
export function ownerPrefix(owner: string | undefined): string {
  return owner === undefined ? '' : `owner/${owner.length}/${owner}/`
}

const CHANNEL = 'assent:owner-cleared'

/** Called when everything of an owner begins to be taken away, and when that is over. */
export type OwnerListener = (isOver: boolean) => void

/** Who has something of an owner open in this page or process. */
const listeners = new Map<string, Set<OwnerListener>>()
let channel: BroadcastChannel | undefined

/**
 * Calls back when `clearOwner` takes everything of an owner away, in this tab or another one. Returns how
 * to listen no more.
 */
export function onOwnerCleared(owner: string, listener: OwnerListener): () => void {
  const ofOwner = listeners.get(owner) ?? new Set()
  listeners.set(owner, ofOwner.add(listener))
  // Open while anything is: a browser does not bring a page back that missed what was said here.
  channel ??= openChannel()
  return () => {
    ofOwner.delete(listener)
    if (ofOwner.size === 0 && listeners.get(owner) === ofOwner) listeners.delete(owner)
    if (listeners.size > 0) return
    channel?.close()
    channel = undefined
  }
}

/** Ends what is open of an owner, here and in the other tabs; or says that what was stored is gone. */
export function tellOwnerCleared(owner: string, isOver: boolean): void {
  const word = { owner, isOver }
  hear(word)
  const telling = channel ?? openChannel()
  telling?.postMessage(word)
  if (telling !== channel) telling?.close()
}

function hear({ owner, isOver }: { owner: string; isOver: boolean }): void {
  // A copy: who ends stops listening.
  for (const listener of new Set(listeners.get(owner))) listener(isOver)
}

/** A server has channels too, for all its users at once. */
function openChannel(): BroadcastChannel | undefined {
  const isPage = 'document' in globalThis || 'WorkerGlobalScope' in globalThis
  if (!isPage || !('BroadcastChannel' in globalThis)) return undefined
  const opened = new BroadcastChannel(CHANNEL)
  opened.addEventListener('message', ({ data }) => hear(data))
  return opened
}
