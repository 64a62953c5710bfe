import type { ChunkOf } from './chunk.ts'
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
  if (chunk.type === 'steering-message') {
    const { type, id, parts } = chunk
    return { type, id, parts }
  }
  const metadata = chunk.providerMetadata ? { providerMetadata: chunk.providerMetadata } : {}
  switch (chunk.type) {
    case 'custom': {
      const { type, kind } = chunk
      return { type, kind, ...metadata }
    }
    case 'file':
    case 'reasoning-file': {
      const { type, mediaType, url } = chunk
      return { type, mediaType, url, ...metadata }
    }
    case 'source-url': {
      const { type, sourceId, url, title } = chunk
      return { type, sourceId, url, ...(title === undefined ? {} : { title }), ...metadata }
    }
    case 'source-document': {
      const { type, sourceId, mediaType, title, filename } = chunk
      const name = filename === undefined ? {} : { filename }
      return { type, sourceId, mediaType, title, ...name, ...metadata }
    }
  }
}
