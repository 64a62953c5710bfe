import type { ChunkOf } from './chunk.ts'
import { dataKey, type ReducerState } from './reducer-state.ts'

/**
 * A data part. One with an id takes the place of the data of that type and id, wherever it is in the
 * message; one without is always another part; a transient one is none.
 */
export function setData({ draft, data }: ReducerState, chunk: ChunkOf<`data-${string}`>): void {
  if (chunk.transient) return
  const key = dataKey(chunk)
  const known = key === undefined ? undefined : data.get(key)
  if (known) {
    draft.edit(known).data = chunk.data
    return
  }
  const slot = draft.append({ ...chunk })
  if (key !== undefined) data.set(key, slot)
}
