import type { ChunkOf } from './chunk.ts'
import { dataKey, type ReducerState } from './reducer-state.ts'

/**
 * A data part. One with an id takes the place of the data of that type and id, wherever it is in the
 * message; one without is always another part; a transient one is none.
 */
export function setData(state: ReducerState, chunk: ChunkOf<`data-${string}`>): void {
  if (chunk.transient) return
  const { draft, data } = state
  const key = typeof chunk.id === 'string' ? dataKey(chunk.type, chunk.id) : undefined
  const known = key === undefined ? undefined : data.get(key)
  if (known) {
    draft.edit(known).data = chunk.data
    return
  }
  const slot = draft.append({ ...chunk })
  if (key !== undefined) data.add(key, slot)
}
