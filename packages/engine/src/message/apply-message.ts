import type { ChunkOf } from './chunk.ts'
import { mergeMetadata } from './merge-metadata.ts'
import { restart, type ReducerState } from './reducer-state.ts'

/** What a `start` does to the id of the message and to what is in it already. */
export interface StartRules {
  /** The message keeps its id. */
  keepsId: boolean
  /** The response comes again from its beginning. */
  isReplay: boolean
}

/** A response begins; answers whether the message was emptied for it. */
export function startMessage(
  state: ReducerState,
  { messageId, messageMetadata }: ChunkOf<'start'>,
  { keepsId, isReplay }: StartRules,
): boolean {
  const { draft } = state
  const id = keepsId ? draft.id : (messageId ?? draft.id)
  const isAnew = isReplay || id !== draft.id
  if (isAnew) restart(state, id)
  addMetadata(state, messageMetadata)
  return isAnew
}

/** Merges metadata into that of the message. */
export function addMetadata({ draft }: ReducerState, metadata: unknown): void {
  if (metadata === undefined || metadata === null) return
  draft.setMetadata(mergeMetadata(draft.metadata, metadata))
}
