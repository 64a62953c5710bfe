import type { UIMessageChunk } from 'ai'
import type { ReducerState } from './reducer-state.ts'
import type { MessagePart } from './tool-part.ts'

const FILE = ['type', 'mediaType', 'url', 'providerMetadata']

/** By type, what a part has of the chunk that it comes in. A chunk may carry more. */
const CONTENT_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['custom', ['type', 'kind', 'providerMetadata']],
  ['file', FILE],
  ['reasoning-file', FILE],
  ['source-url', ['type', 'sourceId', 'url', 'title', 'providerMetadata']],
  ['source-document', ['type', 'sourceId', 'mediaType', 'title', 'filename', 'providerMetadata']],
  ['steering-message', ['type', 'id', 'parts']],
])

/** Appends a part that comes whole, in one chunk. All other chunks change nothing. */
export function appendContent({ draft }: ReducerState, chunk: UIMessageChunk): void {
  const fields = CONTENT_FIELDS.get(chunk.type)
  if (!fields) return
  const part = Object.entries(chunk).filter(([name]) => fields.includes(name))
  // Chunks of these types have all that their parts need.
  draft.append(Object.fromEntries(part) as MessagePart)
}
