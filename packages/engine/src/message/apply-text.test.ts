import type { UIMessageChunk } from 'ai'
import { describe, expect, it } from 'vitest'
import { createMessageReducer } from './message-reducer.ts'

function partsOf(...chunks: UIMessageChunk[]): unknown {
  const reducer = createMessageReducer({ id: 'm', role: 'assistant', parts: [] })
  for (const chunk of chunks) reducer.apply(chunk)
  return reducer.snapshot().parts
}

describe('text and reasoning', () => {
  it('grow by the deltas of their id, side by side', () => {
    expect(
      partsOf(
        { type: 'reasoning-start', id: '1' },
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: 'He' },
        { type: 'reasoning-delta', id: '1', delta: 'Hm' },
        { type: 'text-delta', id: '1', delta: 'llo' },
        { type: 'reasoning-end', id: '1' },
      ),
    ).toEqual([
      { type: 'reasoning', id: '1', text: 'Hm', state: 'done' },
      { type: 'text', text: 'Hello', state: 'streaming' },
    ])
  })

  it('keep the latest provider metadata, and the citations of their end', () => {
    const citations = [
      {
        source: { type: 'source', sourceType: 'url', id: 's', url: 'https://example.test' },
      } as const,
    ]
    expect(
      partsOf(
        { type: 'text-start', id: '1', providerMetadata: { v: { n: 1 } } },
        { type: 'text-delta', id: '1', delta: 'a', providerMetadata: { v: { n: 2 } } },
        { type: 'text-end', id: '1', citations },
      ),
    ).toEqual([
      { type: 'text', text: 'a', state: 'done', citations, providerMetadata: { v: { n: 2 } } },
    ])
  })

  it('may use an id again', () => {
    expect(
      partsOf(
        { type: 'text-start', id: '1' },
        { type: 'text-end', id: '1' },
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: 'b' },
      ),
    ).toEqual([
      { type: 'text', text: '', state: 'done' },
      { type: 'text', text: 'b', state: 'streaming' },
    ])
  })

  it.for<UIMessageChunk>([
    { type: 'text-delta', id: 'x', delta: 'a' },
    { type: 'text-end', id: 'x' },
    { type: 'reasoning-delta', id: 'x', delta: 'a' },
    { type: 'reasoning-end', id: 'x' },
    { type: 'text-delta', id: '__proto__', delta: 'a' },
  ])('refuse a $type without its start', (chunk) => {
    expect(() => partsOf(chunk)).toThrow(
      expect.objectContaining({
        code: 'stream_invalid',
        message: expect.stringMatching(/-start first/),
        details: expect.objectContaining({ chunkType: chunk.type }),
      }),
    )
  })

  it('refuse a delta after the end, and one of the other kind', () => {
    expect(() =>
      partsOf(
        { type: 'text-start', id: '1' },
        { type: 'text-end', id: '1' },
        { type: 'text-delta', id: '1', delta: 'late' },
      ),
    ).toThrow(expect.objectContaining({ code: 'stream_invalid' }))
    expect(() =>
      partsOf({ type: 'text-start', id: '1' }, { type: 'reasoning-end', id: '1' }),
    ).toThrow(expect.objectContaining({ code: 'stream_invalid' }))
  })
})
