import { given, type ChunkOf } from './chunk.ts'
import type { ReducerState } from './reducer-state.ts'
import type { MessagePart } from './tool-part.ts'

type ContentChunk = ChunkOf<
  'custom' | 'file' | 'reasoning-file' | 'source-url' | 'source-document' | 'steering-message'
>

/** Parts that come whole, in one chunk. */
export function appendContent({ draft }: ReducerState, chunk: ContentChunk): void {
  draft.append(contentOf(chunk))
}

/** Field by field: a chunk may carry more than its part. */
function contentOf(chunk: ContentChunk): MessagePart {
  switch (chunk.type) {
    case 'steering-message': {
      const { type, id, parts } = chunk
      return { type, id, parts }
    }
    case 'custom': {
      const { type, kind, providerMetadata } = chunk
      return { type, kind, ...given({ providerMetadata }) }
    }
    case 'file':
    case 'reasoning-file': {
      const { type, mediaType, url, providerMetadata } = chunk
      return { type, mediaType, url, ...given({ providerMetadata }) }
    }
    case 'source-url': {
      const { type, sourceId, url, title, providerMetadata } = chunk
      return { type, sourceId, url, ...given({ title, providerMetadata }) }
    }
    case 'source-document': {
      const { type, sourceId, mediaType, title, filename, providerMetadata } = chunk
      return { type, sourceId, mediaType, title, ...given({ filename, providerMetadata }) }
    }
  }
}
