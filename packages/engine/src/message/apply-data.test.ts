import type { UIMessageChunk } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { createMessageReducer } from './message-reducer.ts'

function partsOf(...chunks: UIMessageChunk[]): unknown {
  const reducer = createMessageReducer({ id: 'm', role: 'assistant', parts: [] })
  for (const chunk of chunks) reducer.apply(chunk)
  return reducer.snapshot().parts
}

describe('a data part', () => {
  it('is replaced by type and id, in any step', () => {
    expect(
      partsOf(
        { type: 'data-weather', id: '1', data: 'rain' },
        { type: 'data-news', id: '1', data: 'none' },
        { type: 'start-step' },
        { type: 'data-weather', id: '1', data: 'sun' },
      ),
    ).toEqual([
      { type: 'data-weather', id: '1', data: 'sun' },
      { type: 'data-news', id: '1', data: 'none' },
      { type: 'step-start' },
    ])
  })

  it('is always another one without an id', () => {
    expect(partsOf({ type: 'data-a', data: 1 }, { type: 'data-a', data: 1 })).toEqual([
      { type: 'data-a', data: 1 },
      { type: 'data-a', data: 1 },
    ])
  })

  it('is not stored when it is transient', () => {
    expect(
      partsOf(
        { type: 'data-a', id: '1', data: 1 },
        { type: 'data-a', id: '1', data: 2, transient: true },
      ),
    ).toEqual([{ type: 'data-a', id: '1', data: 1 }])
  })

  it('does not change the chunk that brought it, nor what was handed out', () => {
    const first = { type: 'data-a', id: '1', data: { n: 1 } } as const
    const reducer = createMessageReducer({ id: 'm', role: 'assistant', parts: [] })
    reducer.apply(first)
    const before = reducer.snapshot()
    reducer.apply({ ...first, data: { n: 2 } })
    expect(first.data).toEqual({ n: 1 })
    expect(before.parts).toEqual([{ type: 'data-a', id: '1', data: { n: 1 } }])
    expect(reducer.snapshot().parts).toEqual([{ type: 'data-a', id: '1', data: { n: 2 } }])
  })

  it('is told to onData, transient or not, once it is in the message', () => {
    const seen: unknown[] = []
    const onData = vi.fn((part: { type: string }) =>
      seen.push([part.type, reducer.snapshot().parts.length]),
    )
    const reducer = createMessageReducer({ id: 'm', role: 'assistant', parts: [] }, { onData })
    reducer.apply({ type: 'data-a', data: 1 })
    reducer.apply({ type: 'data-b', data: 2, transient: true })
    reducer.apply({ type: 'custom', kind: 'vendor.mark' })
    expect(seen).toEqual([
      ['data-a', 1],
      ['data-b', 1],
    ])
    expect(onData).toHaveBeenLastCalledWith({ type: 'data-b', data: 2, transient: true })
  })
})
