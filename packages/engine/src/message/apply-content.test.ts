import type { UIMessageChunk } from 'ai'
import { describe, expect, it } from 'vitest'
import { createMessageReducer } from './message-reducer.ts'

const METADATA = { vendor: { n: 1 } }

describe('parts that come whole', () => {
  it.for<UIMessageChunk>([
    { type: 'custom', kind: 'vendor.mark', providerMetadata: METADATA },
    { type: 'file', mediaType: 'image/png', url: 'data:,', providerMetadata: METADATA },
    { type: 'reasoning-file', mediaType: 'image/png', url: 'data:,' },
    { type: 'source-url', sourceId: 's', url: 'https://example.test', title: 'A page' },
    { type: 'source-url', sourceId: 's', url: 'https://example.test', providerMetadata: METADATA },
    { type: 'source-document', sourceId: 's', mediaType: 'text/plain', title: 'T', filename: 'f' },
    { type: 'source-document', sourceId: 's', mediaType: 'text/plain', title: 'T' },
    { type: 'steering-message', id: 'u', parts: [{ type: 'text', text: 'shorter' }] },
  ])('are appended field by field: $type', (chunk) => {
    const reducer = createMessageReducer({ id: 'm', role: 'assistant', parts: [] })
    reducer.apply(Object.assign({ unknown: true }, chunk))
    reducer.apply(chunk)
    expect(reducer.snapshot().parts).toStrictEqual([chunk, chunk])
  })
})
